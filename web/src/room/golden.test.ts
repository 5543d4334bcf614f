import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { checkDraw, type Signed } from "./chain.ts";
import { type LineDocument, newer, type Poll, readDocument } from "./document.ts";
import { gate } from "./gate.ts";
import type { Ranked } from "./lanes.ts";
import { rank as ownRank } from "./own-rank.js";
import { place } from "./place.ts";
import { pollDelay } from "./poll.ts";
import { fraction, rankOf } from "./rank.ts";
import { keysOf, type Statement } from "./statement.ts";
import type { Ticket } from "./ticket.ts";

interface Meaning {
  rank: string | null;
  verdicts: { now: number; state: string; lap: number; own: boolean; leftMS: number }[];
  place: { ahead: number; standardError: number; low: number; high: number } | null;
}

/** Written by a Go test, which says there what each document means. */
const golden = JSON.parse(readFileSync("../waitingroom/frontier/testdata/vectors.json", "utf8")) as {
  keys: { keys: object[] }; shares: { rank: string; share: number }[]; tickets: (Ticket & { name: string })[];
  documents: { name: string; statement: Statement; tickets: Meaning[] }[]; refused: { name: string; statement: Statement }[];
  draws: { name: string; statements: Signed[]; good: boolean }[]; polls: { poll: Poll; waitMS: number; delayMS: number }[];
};

const keys = await keysOf(golden.keys);
const close = (a: number, b: number, what: string): void => assert.ok(Math.abs(a - b) < 1e-5, `${what}: ${a}, Go says ${b}`);

test("a rank is the same share of all ranks in both languages", () => {
  for (const { rank, share } of golden.shares) assert.equal(fraction(rank), share, rank);
});

for (const { name, statement, tickets } of golden.documents) {
  test(`document "${name}": ranks, verdicts, places`, async () => {
    const d = await readDocument(keys, statement);
    assert.ok(d?.signed);
    for (const [i, want] of tickets.entries()) {
      const ticket = golden.tickets[i]!;
      const rank: string | null = d.seed === null ? null : await rankOf(d.seed, ticket.event, ticket.epoch, ticket.pseudonym);
      assert.equal(rank, want.rank, ticket.name);
      if (d.seed !== null) assert.equal(await ownRank(d.seed, ticket.event, ticket.epoch, ticket.pseudonym), rank, "the script that fans run");
      const ranked: Ranked = { ...ticket, rank: rank ?? "" };
      for (const { now, leftMS, ...verdict } of want.verdicts) assert.deepEqual(gate(d, ranked, now), { ...verdict, left: leftMS }, `${ticket.name} at ${now}`);
      const p = place(d, ranked);
      if (!p || !want.place) {
        assert.equal(p, want.place, ticket.name);
        continue;
      }
      close(p.ahead, want.place.ahead, `${ticket.name}: ahead`);
      close(p.standardError, want.place.standardError, `${ticket.name}: error`);
      assert.deepEqual([p.low, p.high], [want.place.low, want.place.high], ticket.name);
    }
  });
}

for (const { name, statement } of golden.refused) {
  test(`not read: ${name}`, async () => assert.equal(await readDocument(keys, statement), null));
}

test("without a key nothing is read, and a kid that is not its key's own brings none", async () => {
  const { statement } = golden.documents[0]!;
  assert.equal(await readDocument(new Map(), statement), null);
  const renamed = await keysOf({ keys: golden.keys.keys.map((k) => ({ ...k, kid: "somebody" })) });
  assert.equal(renamed.size, 0);
});

test("only a higher version of the same event is newer", async () => {
  const all = (await Promise.all(golden.documents.map((d) => readDocument(keys, d.statement)))) as LineDocument[];
  for (let i = 1; i < all.length; i++) {
    assert.ok(newer(all[i]!, all[i - 1]!));
    assert.ok(!newer(all[i - 1]!, all[i]!));
  }
  assert.ok(!newer(all[0]!, all[0]!));
  assert.ok(!newer({ ...all[3]!, event: "another" }, all[0]!));
});

test("the poll policy is the document's", () => {
  for (const { poll, waitMS, delayMS } of golden.polls) assert.equal(pollDelay(poll, waitMS), delayMS, `${waitMS} ms`);
});

for (const { name, statements, good } of golden.draws) {
  test(`the public record of a draw: ${name}`, async () => {
    const draw = await checkDraw(keys, statements, 2);
    assert.ok(draw);
    const checks = [draw.signed, draw.chained, draw.secret, draw.random, draw.seed];
    assert.equal(checks.every((c) => c !== false), good, checks.join());
    assert.equal(draw.cutOff?.count, 12_345);
    assert.equal(await checkDraw(keys, statements, 3), null);
    assert.equal((await checkDraw(new Map(), statements, 2)), null, "without keys nothing is known");
  });
}
