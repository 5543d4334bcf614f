import { lasting } from "../base/storage.ts";

const KEY = "plateia.bell";
const NOTES = [523.25, 659.25, 783.99, 1046.5]; // Hz

/** The sound of one's turn. Browsers let a page sound only after a press or a key in it, so it waits for the first. */
export class Bell {
  /** Told when a press has allowed the sound. */
  allowed = (): void => {};
  #context: AudioContext | null = null;

  get on(): boolean {
    return lasting.get(KEY) !== "off";
  }

  set on(on: boolean) {
    lasting.set(KEY, on ? "on" : "off");
  }

  /** Has the next press or key in the page allow the sound. */
  listen(signal: AbortSignal): void {
    const allow = (): void => this.#allow();
    addEventListener("pointerdown", allow, { signal });
    addEventListener("keydown", allow, { signal });
  }

  #allow(): void {
    try {
      this.#context ??= new AudioContext();
      void this.#context.resume().then(() => this.allowed());
    } catch {
      // no sound here: title and page say it too
    }
  }

  /** Whether it would be heard. */
  get ready(): boolean {
    return this.#context?.state === "running";
  }

  ring(): void {
    if (!this.on) return;
    if (navigator.userActivation?.hasBeenActive) navigator.vibrate?.([200, 100, 200]);
    const context = this.#context;
    if (!context) return;
    NOTES.forEach((hz, i) => {
      const at = context.currentTime + i * 0.18, tone = context.createOscillator(), loud = context.createGain();
      tone.frequency.value = hz;
      loud.gain.setValueAtTime(0.0001, at);
      loud.gain.exponentialRampToValueAtTime(0.25, at + 0.02);
      loud.gain.exponentialRampToValueAtTime(0.0001, at + 0.5);
      tone.connect(loud).connect(context.destination);
      tone.start(at);
      tone.stop(at + 0.55);
    });
  }
}
