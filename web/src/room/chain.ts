// The chain of signed statements about an event's draws, and what can be checked of it in a browser.
import { hexOf } from "./rank.ts";
import { bytesOf, type Keys, open, type Statement } from "./statement.ts";

export interface Signed { kind: string; statement: Statement }

interface Head { epoch: number; previous: string; at: string }
export interface Commitment extends Head { onSaleAt: string; secret: string; chain: string; rule: { round: number } }
export interface CutOff extends Head { count: number; root: string }
export interface Reveal extends Head { secret: string; beacon: { round: number; randomness: string; signature: string } | null; seed: string }

/** One thing that was checked. null: there was nothing to check it by. */
export type Verdict = boolean | null;

export interface Draw {
  commitment: Commitment; cutOff: CutOff | null; reveal: Reveal | null;
  signed: Verdict; // every statement, by the published keys
  chained: Verdict; // each names the hash of the one before
  secret: Verdict; // what was revealed is what was committed to
  random: Verdict; // the round's number follows from its signature
  seed: Verdict; // follows from secret, round, configuration and log
}

const ZERO = "0".repeat(64);

/** Checks the statements of one epoch, and the chain of all; null when the epoch has none. */
export async function checkDraw(keys: Keys, all: readonly Signed[], epoch: number): Promise<Draw | null> {
  const opened = await Promise.all(all.map((s) => open(keys, s.kind, s.statement)));
  const of = <T extends Head>(kind: string): { value: T; payload: string } | null => {
    for (const [i, s] of all.entries()) {
      const payload = opened[i]?.payload;
      if (s.kind !== kind || !payload) continue;
      const value = JSON.parse(payload) as T;
      if (value.epoch === epoch) return { value, payload };
    }
    return null;
  };
  const commitment = of<Commitment>("draw-commitment+jws");
  if (!commitment) return null;
  const cutOff = of<CutOff>("draw-cutoff+jws")?.value ?? null, reveal = of<Reveal>("draw-reveal+jws")?.value ?? null;
  const good = opened.every((o) => o !== null);
  return {
    commitment: commitment.value, cutOff, reveal,
    signed: good && opened.every((o) => o?.signed === false) ? null : good,
    chained: await chained(all, opened.map((o) => o?.payload ?? "{}")),
    secret: reveal && (await sha256(bytesOf("plateia draw secret 1"), bytes(reveal.secret))) === commitment.value.secret,
    random: reveal?.beacon ? (await sha256(bytes(reveal.beacon.signature))) === reveal.beacon.randomness : null,
    seed: reveal && cutOff && (await seedOf(reveal, commitment.payload, cutOff.root)) === reveal.seed,
  };
}

async function chained(all: readonly Signed[], payloads: string[]): Promise<boolean> {
  let before = ZERO;
  for (const [i, { statement: s }] of all.entries()) {
    if ((JSON.parse(payloads[i]!) as Partial<Head>).previous !== before) return false;
    before = await sha256(bytesOf(`${s.protected}.${s.payload}`));
  }
  return true;
}

/** SHA-256("plateia draw seed 1" ‖ secret ‖ randomness ‖ SHA-256(configuration) ‖ root); without a round its randomness is zeros. */
async function seedOf(reveal: Reveal, commitment: string, root: string): Promise<string> {
  const configuration = await sha256(bytesOf(configurationOf(commitment)));
  return sha256(bytesOf("plateia draw seed 1"), ...[reveal.secret, reveal.beacon?.randomness ?? ZERO, configuration, root].map(bytes));
}

/** The configuration's own bytes: they are hashed as they stand. */
function configurationOf(commitment: string): string {
  const from = commitment.indexOf('"configuration":') + '"configuration":'.length;
  return commitment.slice(from, commitment.lastIndexOf(',"chain":'));
}

const bytes = (hex: string): Uint8Array<ArrayBuffer> => Uint8Array.from(hex.match(/../g) ?? [], (b) => parseInt(b, 16));

async function sha256(...parts: Uint8Array<ArrayBuffer>[]): Promise<string> {
  const whole = new Uint8Array(await new Blob(parts).arrayBuffer());
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", whole)));
}
