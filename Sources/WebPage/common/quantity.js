import { locale } from './language.js';

const whole = new Intl.NumberFormat(locale);
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const unit = (name) => new Intl.NumberFormat(
  locale, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 1 });
const [milliseconds, seconds, minutes, hours] = ['millisecond', 'second', 'minute', 'hour'].map(unit);
const [longSeconds, longMinutes, longHours] = ['second', 'minute', 'hour'].map((name) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'long' }));
const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'].map(unit);

/** Formats a number for people. */
export function count(value) {
  return whole.format(Math.round(value));
}

/** Formats a number of bytes for people. A kilobyte has 1,000 bytes, as on the labels of disks. */
export function bytes(value) {
  let [number, index] = [value, 0];
  while (number >= 999.5 && index < byteUnits.length - 1) [number, index] = [number / 1_000, index + 1];
  return byteUnits[index].format(number);
}

/** Formats a rate per second for people. */
export function rate(value) {
  return `${(value < 100 ? tenths : whole).format(value)}/s`;
}

/** Formats a duration for people. */
export function duration(ms) {
  if (ms < 1_000) return milliseconds.format(Math.round(ms));
  if (ms < 120_000) return seconds.format(ms / 1_000);
  if (ms < 7_200_000) return minutes.format(ms / 60_000);
  return hours.format(ms / 3_600_000);
}

/** Formats a time to wait for people, in whole units: "27 seconds", "5 minutes", "24 hours". Never too short. */
export function wait(seconds) {
  if (seconds <= 90) return longSeconds.format(Math.ceil(seconds));
  if (seconds <= 5_400) return longMinutes.format(Math.ceil(seconds / 60));
  return longHours.format(Math.ceil(seconds / 3_600));
}
