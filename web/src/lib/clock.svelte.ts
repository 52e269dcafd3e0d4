/** The current time, updated twice a minute. */
class Clock {
  now = $state(Date.now());

  constructor() {
    setInterval(() => (this.now = Date.now()), 30_000);
  }
}

export const clock = new Clock();
