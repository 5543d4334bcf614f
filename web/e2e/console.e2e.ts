import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan, PATIENCE, PHONE } from "./browser.ts";
import { signIn, stadium, THEATRE, URL_ } from "./fan.ts";
import { KEY, openRoom, ownEvent } from "./room.ts";
import { becomes, last } from "./wait.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

/** Opens the console at an event's room. The key is typed, and never in an address. */
async function openConsole(page: Page, eventId: string): Promise<void> {
  await openRoom(eventId);
  const asked: string[] = [];
  page.on("request", (r) => asked.push(r.url()));
  await page.goto(`${URL_}/console#${eventId}`);
  await page.fill('input[name="who"]', "Ana of the night shift");
  await page.fill('input[name="key"]', "not the key, not the key");
  await page.click("#op-enter");
  await page.waitForSelector(".notice.bad");
  await page.fill('input[name="key"]', KEY);
  await page.click("#op-enter");
  await page.waitForSelector(`.room-card[href="#${eventId}"][aria-current]`);
  await page.waitForSelector("#op-room-title");
  assert.ok(asked.every((url) => !url.includes(KEY)), "the key is in an address");
}

const why = (page: Page, form: string, text: string): Promise<void> => page.fill(`${form} input[name="why"]`, text);

test("a sale is paused, its fans read why, it goes on, and a target is set after its effect was shown", async () => {
  const eventId = await ownEvent();
  const { page, trouble } = await newFan(browser);
  await openConsole(page, eventId);

  await page.click("#op-pause > summary");
  const words = page.locator("#op-pause textarea");
  for (const [i, text] of ["A door is stuck", "Una puerta no abre", "Uma porta emperrou"].entries()) await words.nth(i).fill(text);
  await page.click("#op-pause-do");
  await page.waitForSelector("#op-pause .notice.bad"); // nobody pauses without a reason for the audit
  await why(page, "#op-pause", "gate 3 does not open");
  await page.click("#op-pause-do");
  await page.waitForSelector('.room-head [data-phase="paused"]');
  await page.waitForSelector('#op-audit tr[data-verb="pause"]:has-text("Ana of the night shift")');

  const { page: fan, trouble: theirs } = await newFan(browser);
  await fan.goto(`${URL_}/events/${eventId}`);
  await signIn(fan);
  await fan.waitForURL(/\/line\//);
  await fan.waitForSelector("text=A door is stuck");

  await page.click("#op-resume > summary");
  await why(page, "#op-resume", "gate 3 is open");
  await page.click("#op-resume-do");
  await page.waitForSelector('.room-head [data-phase="open"]');
  await fan.waitForSelector("text=A door is stuck", { state: "detached" });

  await page.click("#op-target > summary");
  await page.fill('#op-target input[name="target"]', "1234");
  assert.equal(await page.locator("#op-apply").count(), 0, "nothing is set that was not shown");
  await page.click("#op-preview");
  await page.waitForSelector("#op-effect");
  await why(page, "#op-target", "fewer tills tonight");
  await audit(page, "the console with a preview");
  await page.click("#op-apply");
  await page.waitForSelector('#op-audit tr[data-verb="target"]:has-text("fewer tills tonight")');
  await page.waitForSelector('.tiles:has-text("of 1,234")');

  await page.reload();
  await page.waitForSelector("#op-audit tr"); // the tab remembers the key, …
  const other = await page.context().newPage();
  await other.goto(`${URL_}/console`);
  await other.waitForSelector("#op-enter"); // … another one does not
  await page.click("#op-leave");
  await page.waitForSelector("#op-enter");
  await becomes(() => page.evaluate(() => sessionStorage.length), 0, "the key is forgotten");
  assert.deepEqual([trouble, theirs], [[], []]);
});

test("a partner is added, narrowed to an event, paused and removed, and the audit tells it", async () => {
  const { page, trouble } = await newFan(browser);
  await openConsole(page, THEATRE);
  const name = `Casa do Teste ${Date.now()}`, origin = `https://t${Date.now()}.example`;
  const embed = async (event: string): Promise<string> => (await page.request.get(`${URL_}/v1/events/${event}/embed`)).text();
  const inForce = async (event: string, there: boolean): Promise<void> => {
    for (const end = Date.now() + PATIENCE; (await embed(event)).includes(origin) !== there; await new Promise((done) => setTimeout(done, 200))) {
      assert.ok(Date.now() < end, `${origin} at ${event}: not ${String(there)} in time`);
    }
  };

  await page.click('#tabs a[href="#partners"]');
  await page.click('#op-partners a[href="#partners/new"]');
  await page.fill('.op-new input[name="name"]', name); // not the form that was there before
  await page.fill('.op-new input[name="origin"]', "https://*.example");
  await page.click("#op-origin-add");
  await page.fill('.op-form input[name="why"]', "contract 17");
  await page.click("#op-partner-save");
  await page.waitForSelector(".op-form .notice.bad"); // no patterns, says the server
  await page.click('#op-origins button[aria-label*="*"]');
  await page.fill('input[name="origin"]', origin.toUpperCase());
  await page.click("#op-partner-save"); // without the press on "add" between
  await page.waitForSelector(`#op-partners a[aria-current]:has-text("${name}")`);
  await page.waitForSelector(`#op-origins li:has-text("${origin}")`);
  await inForce(THEATRE, true);

  await page.check('input[value="some"]');
  await page.fill('input[name="event"]', THEATRE);
  await page.click(".op-rows button[title='Add']");
  await page.fill('.op-form input[name="why"]', "only the theatre");
  await page.click("#op-partner-save");
  await page.waitForSelector('#op-audit tr[data-verb="change"]:has-text("only the theatre")');
  await inForce((await stadium()).eventId, false);
  await audit(page, "the console's partners");

  await page.click("#op-partner-pause > summary");
  await page.fill('#op-partner-pause input[name="why"]', "unpaid");
  await page.click("#op-partner-pause-do");
  await page.waitForSelector(".room-head .tag.bad");
  await inForce(THEATRE, false);

  await page.click("#op-partner-remove > summary");
  await page.fill('#op-partner-remove input[name="why"]', "the contract ended");
  await page.locator("#op-partner-remove input").first().fill(name);
  await page.click("#op-partner-remove-do");
  await page.waitForSelector(`#op-audit tr[data-verb="remove"]:has-text("${name}"):has-text("Ana of the night shift")`);
  await page.waitForSelector(`#op-partners a:has-text("${name}")`, { state: "detached" });
  await page.click('#tabs a[href="#"]');
  await page.waitForSelector("#op-room-title");
  assert.deepEqual(trouble, []);
});

for (const [name, options] of [["desktop, dark", { colorScheme: "dark" }], ["phone", PHONE], ["narrow phone, dark", { ...PHONE, viewport: { width: 320, height: 640 }, colorScheme: "dark" }]] as const) {
  test(`axe finds nothing serious in the console, and nothing scrolls sideways: ${name}`, async () => {
    const { page, trouble } = await newFan(browser, options);
    await openConsole(page, await ownEvent());
    for (const fold of ["#op-message", "#op-codes", "#op-reset"]) await page.click(`${fold} > summary`);
    await page.locator(".as-table > summary").first().click();
    await audit(page, "the console");
    const wideAs = async (): Promise<void> => {
      const [wide, view] = await last(() => page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]), ([w, v]) => w! <= v!);
      assert.ok(wide! <= view!, `${wide} px in a view of ${view} px`);
    };
    await wideAs();
    await page.click('#tabs a[href="#partners"]');
    await page.waitForSelector("#op-partner-title");
    await page.check('input[value="some"]');
    assert.equal(await page.locator('input[value="some"]').evaluate((e) => getComputedStyle(e).borderRadius), "50%", "one of several looks like a box to tick");
    await page.click("#op-partner-remove > summary");
    await audit(page, "the console's partners");
    await wideAs();
    assert.deepEqual(trouble, []);
  });
}
