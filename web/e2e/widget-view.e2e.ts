import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan, PHONE } from "./browser.ts";
import { coloursIn } from "./canvas.ts";
import { last } from "./wait.ts";
import { news, ready } from "./widget.ts";

const PARTNER = process.env.PLATEIA_PARTNER ?? "";
let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());
afterEach(closeFans);

for (const [name, device] of [["wide", undefined], ["phone", PHONE]] as const) {
  test(`what one sees from a section is shown in a partner's page, under a strict policy (${name})`, async () => {
    const { page, trouble } = await newFan(browser, device);
    await news(page);
    const asked: string[] = [];
    page.on("request", (r) => asked.push(new URL(r.url()).pathname));
    await page.goto(`${PARTNER}/strict`);
    await ready(page);
    await page.locator(".live[data-state=live]").waitFor();
    const part = (path: string): boolean => path.includes("plateia-view.");
    assert.ok(!asked.some(part), "the view comes when it is asked for");
    await page.locator(".fold > summary").click();
    await page.locator("#pick-section").selectOption({ index: 1 });
    await page.locator(".fold form .see").click();
    const view = page.locator("dialog.view-dialog[open]");
    await view.waitFor();
    assert.equal(asked.filter(part).length, 1);
    const colours = await last(() => coloursIn(view.locator("canvas")), (n) => n > 10);
    assert.ok(colours > 10, `the view has ${colours} colours`); // sky, field, roofs, rows of heads
    const { width, height } = (await view.boundingBox())!, { width: room } = page.viewportSize()!;
    assert.ok(width > Math.min(room, 600) * 0.9 && width <= room && height > 200, `the dialog is ${width} × ${height} in ${room}`);
    assert.ok(asked.some((path) => /^\/v1\/charts\/[^/]+\/views$/.test(path)), "an organizer's picture is asked for");
    await audit(page, "the view from a section in a partner's page");
    await page.keyboard.press("Escape");
    await view.waitFor({ state: "detached" });
    assert.deepEqual(trouble, []);
  });
}
