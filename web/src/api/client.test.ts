import { after, before, test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { clock } from "../base/clock.ts";
import { json, send } from "./client.ts";
import "./kept-time.ts";
import type { Problem } from "./problem.ts";

const HOUR = 3_600_000;
let asked = 0, date = 0, keeps = "", cuts = 0;
const server = createServer((req, res) => {
  asked++;
  if (cuts-- > 0) return void req.socket.destroy();
  res.writeHead(200, { "Content-Type": "application/json", "Cache-Control": keeps, Date: new Date(date).toUTCString(), Connection: "close" }).end("{}");
});
const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

before(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)));
after(() => server.close());

const LIST = "public, max-age=10, stale-while-revalidate=60";

test("an answer that the browser may have kept for a while does not move a clock that may be right", async () => {
  keeps = LIST;
  date = Date.now() - 50_000;
  await json(url());
  assert.equal(asked, 1);
  assert.equal(Math.round((clock.now() - Date.now()) / 1000), 0);
});

test("what is kept for ever says nothing about the time", async () => {
  keeps = "public, max-age=31536000, immutable";
  date = Date.now() + 2 * HOUR;
  asked = 0;
  await json(url());
  assert.equal(asked, 1);
});

for (const hours of [3, -5]) {
  test(`who only looks learns that the device's clock is wrong by ${hours} hours, with one request more`, async () => {
    keeps = LIST;
    date = Date.now() + hours * HOUR;
    asked = 0;
    await json(url());
    assert.equal(asked, 2);
    assert.ok(Math.abs(clock.now() - date) < 3000, `${clock.now() - date} ms off`);
    await json(url());
    assert.equal(asked, 3, "and asks no more");
  });
}

test("seats are given back although the line was cut; what has no key and may be done twice is not sent again", async () => {
  keeps = "no-store";
  date = Date.now();
  asked = 0;
  cuts = 1;
  assert.equal((await send(url(), { method: "DELETE" })).status, 200);
  assert.equal(asked, 2);
  cuts = 1;
  await assert.rejects(send(url(), { method: "POST", body: {} }), (problem: Problem) => problem.code === "OFFLINE");
  assert.equal(asked, 3);
});
