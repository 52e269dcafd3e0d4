/** The time by the minute, for "5 minutes ago". */
class Clock {
  now = $state(Date.now());

  constructor() {
    setInterval(() => (this.now = Date.now()), 30_000);
  }
}

export const clock = new Clock();
