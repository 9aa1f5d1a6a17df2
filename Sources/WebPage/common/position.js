const waitMs = 15_000;
const ageMs = 60_000;

/** Returns true if the browser lets the page ask for the device's position. */
export function canLocate() {
  return isSecureContext && 'geolocation' in navigator;
}

/** Returns the device's position. Throws a `GeolocationPositionError`. */
export function devicePosition() {
  return new Promise((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(
      resolve, reject, { enableHighAccuracy: false, timeout: waitMs, maximumAge: ageMs });
  });
}
