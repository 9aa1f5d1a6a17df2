import { say } from '../common/language.js';

// The first match counts: most browsers also name the browsers that they resemble.
const browsers = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//], ['Opera', /\bOPR\//], ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//], ['Chrome', /\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//],
  ['Safari', /\bVersion\/\S+ .*Safari\//]];
const systems = [
  ['iPhone', /\biPhone\b/], ['iPad', /\biPad\b/], ['Android', /\bAndroid\b/], ['Windows', /\bWindows\b/],
  ['ChromeOS', /\bCrOS\b/], ['macOS', /\bMac OS X\b/], ['Linux', /\bLinux\b/]];

/** Describes the device of a session in words, from its User-Agent header. */
export function device(userAgent = '') {
  const [browser, system] = [browsers, systems].map((list) => list.find(([, form]) => form.test(userAgent))?.[0]);
  if (browser && system) return say('device', { browser, system });
  // A program names itself first, such as "curl/8.5.0".
  return browser ?? system ?? (userAgent.split(/[/\s]/, 1)[0] || say('device.unknown'));
}
