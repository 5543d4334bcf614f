import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { signIn, URL_ } from "../fan.ts";
import { showsBoard } from "../room.ts";
import { refused, type Scene, silent, type Stage } from "./scene.ts";
import { lineAs, longLine } from "./signed.ts";
import { eventWith, programme } from "./world.ts";

export const at = (event: string): string => `${URL_}/line/${event}`;

export const concert = (inSeconds: number, title = "Noite de sorteio", more: Record<string, string> = {}): Promise<string> =>
  eventWith({ ...programme(title, "Teatro Rivoli", "Porto Alegre", "Pop", 7), ...more }, inSeconds);

/** A fan whose tab is behind others, so that nothing goes on by itself when the turn comes. */
export async function away({ fan }: Stage): Promise<Page> {
  const page = await fan();
  await page.addInitScript(() => Object.defineProperty(document, "hidden", { get: () => true }));
  return page;
}

const look = (page: Page): Promise<unknown> => page.evaluate(async () => {
  await new Promise((done) => setTimeout(done, 1100)); // it looks once a second at most
  dispatchEvent(new Event("online"));
});

/** The waiting room. */
export const line: Scene[] = [
  {
    name: "line-before", run: async (stage) => {
      const { camera } = stage, page = await away(stage);
      await page.goto(at(await concert(3 * 86_400)));
      await page.waitForSelector("#email");
      await camera.take(page, "line-door", { whole: true });
      await signIn(page);
      await showsBoard(page, "entered");
      await page.waitForSelector("#board .odds, #board p:has-text('seats')");
      await camera.take(page, "line-entered", { whole: true });
    },
  },
  {
    name: "line-late", run: async (stage) => {
      const { camera } = stage, page = await away(stage);
      const change = await lineAs(page, longLine(12_480));
      await page.goto(at(await concert(-60)));
      await page.waitForSelector("#email");
      await camera.take(page, "line-late-door", { whole: true });
      await signIn(page);
      await showsBoard(page, "place");
      await page.waitForSelector("#proof:not([hidden])");
      await camera.take(page, "line-place", { whole: true });
      await page.context().setOffline(true);
      await page.waitForSelector("text=No connection since");
      await camera.take(page, "line-offline");
      await page.context().setOffline(false);
      const told = { reason: "payments", text: { en: "The payment company does not answer. We are talking to them." }, nextUpdate: new Date(Date.now() + 900_000).toISOString() };
      change((d) => {
        longLine(12_480)(d);
        d.phase = "paused";
        d.pausedSince = Date.now() - 120_000;
        d.message = told;
      });
      await look(page);
      await showsBoard(page, "paused");
      await camera.take(page, "line-paused");
      for (const phase of ["soldout", "ended"] as const) {
        change((d) => (d.phase = phase));
        await look(page);
        await page.waitForSelector(`#board[data-view="closed"]:has-text("${phase === "soldout" ? "Sold out" : "ended"}")`);
        await camera.take(page, `line-${phase}`);
      }
    },
  },
  {
    name: "line-turn", run: async (stage) => {
      const { camera } = stage, page = await away(stage), event = await concert(-60);
      const change = await lineAs(page, () => {});
      await page.goto(at(event));
      await signIn(page);
      await showsBoard(page, "turn");
      await page.waitForSelector("#proof:not([hidden])");
      await camera.take(page, "line-turn", { whole: true });
      await refused(page, /\/claim/, 425, "WAITING", { retryAfterSeconds: 600 });
      await page.click("#go-in");
      await page.getByRole("heading", { name: "You are at the door" }).waitFor();
      await camera.take(page, "line-moment");
      change((d) => {
        d.phase = "paused";
        d.pausedSince = Date.now() - 1000;
      });
      await page.reload();
      await showsBoard(page, "paused");
      await camera.take(page, "line-paused-turn");
      change((d) => (d.epoch += 1));
      await page.reload();
      await showsBoard(page, "restarted");
      await camera.take(page, "line-restarted");
      change((d) => {
        d.history = [{ time: Date.now() - 3_600_000, paused: 0, frontiers: d.frontiers }];
        d.frontiers = { ...d.frontiers };
      });
      await page.reload();
      await showsBoard(page, "missed");
      await camera.take(page, "line-missed");
    },
  },
  {
    name: "line-draw", run: async (stage) => {
      const { camera } = stage, page = await away(stage), event = await concert(3600, "Sorteio agora");
      await page.goto(at(event));
      await signIn(page);
      await showsBoard(page, "entered");
      await lineAs(page, (d) => (d.phase = "draw"));
      await page.reload();
      await showsBoard(page, "draw");
      await camera.take(page, "line-draw");
    },
  },
  {
    name: "line-cancelled", run: async (stage) => {
      const page = await away(stage);
      await page.goto(at(await concert(-60, "Noite cancelada", { state: "'cancelled'" })));
      await showsBoard(page, "closed");
      await stage.camera.take(page, "line-cancelled");
    },
  },
  {
    name: "line-unknown", run: async (stage) => {
      const page = await stage.fan();
      await page.goto(at(randomUUID()));
      await page.waitForSelector("#board .button");
      await stage.camera.take(page, "line-unknown");
    },
  },
  {
    name: "line-loading", run: async (stage) => {
      const page = await stage.fan();
      await silent(page, /\/v1\//);
      await page.goto(at(await concert(-60)));
      await stage.camera.take(page, "line-loading");
    },
  },
];
