import type { EventDetail } from "../../src/api/types.ts";
import { newEmail, signIn } from "../fan.ts";
import { showsBoard } from "../room.ts";
import { at, away, concert } from "./line.ts";
import { altered, refused, type Scene } from "./scene.ts";

const claim = /\/queue\/claim$/, queue = /\/v1\/events\/[^/]+\/queue$/, document_ = /\/v1\/events\/[^/?]+$/;

/** What the waiting room asks of a fan on the way, and how it shows that the draw was fair. */
export const lineDoors: Scene[] = [
  {
    name: "line-code", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(at(await concert(3 * 86_400)));
      await page.fill("#email", newEmail());
      await page.press("#email", "Enter");
      await page.waitForSelector("#code");
      await camera.take(page, "line-code");
    },
  },
  {
    name: "line-presale", run: async (stage) => {
      const { camera } = stage, page = await away(stage);
      await page.goto(at(await concert(3 * 86_400)));
      await signIn(page);
      await showsBoard(page, "entered");
      let from: string | null = new Date(Date.now() + 86_400_000).toISOString();
      await altered<EventDetail>(page, document_, (e) => ({ ...e, rules: { ...e.rules, queue: { ...e.rules.queue, entriesFrom: from, tiers: [{ name: "members" }, { name: "all" }] } } }));
      const other = at(await concert(3 * 86_400, "Noite dos sócios"));
      await page.goto(other);
      await page.getByText("You can enter from").waitFor();
      await camera.take(page, "line-early");
      from = null;
      await page.reload();
      await page.waitForSelector("#presale");
      await camera.take(page, "line-presale", { whole: true });
      await refused(page, queue, 403, "CODE_INVALID");
      await page.fill("#presale", "SOCIO-2027");
      await page.click("#enter");
      await page.getByText("This code does not work").waitFor();
      await camera.take(page, "line-presale-refused");
    },
  },
  {
    name: "line-elsewhere", run: async (stage) => {
      const page = await away(stage);
      await page.goto(at(await concert(-60)));
      await signIn(page);
      await showsBoard(page, "turn");
      await refused(page, claim, 403, "FORBIDDEN", { reason: "moved" });
      await page.click("#go-in");
      await showsBoard(page, "elsewhere");
      await stage.camera.take(page, "line-elsewhere");
      await page.getByRole("button", { name: "Bring my place here" }).click();
      await page.waitForSelector("#email");
      await stage.camera.take(page, "line-prove");
    },
  },
  {
    name: "line-proof", run: async (stage) => {
      const { camera } = stage, page = await away(stage);
      await page.goto(at(await concert(12, "Sorteio conferido")));
      await signIn(page);
      await showsBoard(page, "turn");
      await page.locator("#proof summary").click();
      await page.locator("#run-rank").click();
      await page.waitForSelector("#own-rank:not(:empty)");
      await camera.take(page, "line-proof", { whole: true });
      await page.locator("details.ask").evaluateAll((all) => all.forEach((d) => ((d as HTMLDetailsElement).open = true)));
      await camera.take(page, "line-questions", { whole: true });
    },
  },
];
