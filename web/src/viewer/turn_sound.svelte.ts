// A short sound when it is the reader's turn; off until the reader wants it.

const KEY = "leitai.sound";
const HERTZ = 660;
const SECONDS = 0.16;

let wanted = $state(load());
let context: AudioContext | null = null;

export function soundIsOn(): boolean {
  return wanted;
}

/** Switches the sound on or off; it is played once when it is switched on. */
export function switchSound(): void {
  wanted = !wanted;
  try {
    localStorage.setItem(KEY, wanted ? "on" : "off");
  } catch {
    // Storage is not allowed: the choice lasts as long as the page.
  }
  playTurnSound();
}

export function playTurnSound(): void {
  if (!wanted || typeof AudioContext === "undefined") return;
  context ??= new AudioContext();
  const [tone, volume] = [context.createOscillator(), context.createGain()];
  tone.frequency.value = HERTZ;
  volume.gain.setValueAtTime(0.08, context.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, context.currentTime + SECONDS);
  tone.connect(volume).connect(context.destination);
  tone.start();
  tone.stop(context.currentTime + SECONDS);
}

function load(): boolean {
  try {
    return localStorage.getItem(KEY) === "on";
  } catch {
    return false;
  }
}
