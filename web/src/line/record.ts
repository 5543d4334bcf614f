import { checkDraw, type Draw, type Signed } from "../room/chain.ts";
import { keysOf } from "../room/statement.ts";

/** The public statements of an event's draws, with the keys they are signed by. */
export interface DrawRecord { keys: Parameters<typeof keysOf>[0]; statements: Signed[] }

const AGAIN = 1500; // ms until a list that is too short is asked for again
const TRIES = 8;

/**
 * Reads and checks the draw of an epoch of which the seed is known. A cache on the way may still have the list of before the
 * draw: it gives that away once more and renews it meanwhile, so the next answer has what was revealed. What is too
 * short after some tries is shown as it is. Fails when there is nothing of the epoch.
 */
export async function readDraw(epoch: number, ask: (fresh: boolean) => Promise<DrawRecord>, wait: (ms: number) => Promise<unknown>): Promise<Draw> {
  for (let tries = 1; ; tries++) {
    const { keys, statements } = await ask(tries > 1);
    const draw = await checkDraw(await keysOf(keys), statements, epoch);
    if (draw?.reveal) return draw;
    if (tries === TRIES) {
      if (!draw) throw new Error("no statements of this epoch");
      return draw;
    }
    await wait(AGAIN);
  }
}
