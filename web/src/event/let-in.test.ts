import { test } from "node:test";
import assert from "node:assert/strict";
import { Problem } from "../api/problem.ts";
import { keepTicket, keptTicket } from "../auth/kept.ts";
import { type Doorway, letIn } from "./let-in.ts";

type Answer = Problem | Record<string, unknown>;

/** A door with its own time: places and claims are as the lists say, the last for ever. */
function door(places: Answer[], claims: (Problem | null)[] = [null]): Doorway & { asked: string[] } {
  let now = 0;
  const asked: string[] = [];
  const next = <T>(all: T[]): T => {
    const one = all.length > 1 ? all.shift()! : all[0]!;
    if (one instanceof Problem) throw one;
    return one;
  };
  return {
    asked,
    enter: async () => (asked.push("enter"), { queueToken: "fresh", ...next(places) }) as never,
    place: async (ticket) => (asked.push(`place ${ticket}`), next(places)) as never,
    claim: async (ticket) => (asked.push(`claim ${ticket}`), next(claims)) as never,
    wait: async (ms) => (now += ms),
    now: () => (now += 50),
  };
}

const admitted = { status: "ADMITTED", ahead: 0 };
const waits = (ahead = 0) => ({ status: "WAITING", ahead });

test("where nobody waits a fan is in with two requests", async () => {
  const d = door([admitted]);
  assert.equal(await letIn("e1", d), "in");
  assert.deepEqual(d.asked, ["enter", "claim fresh"]);
});

test("a door that opens within two seconds is no line", async () => {
  const d = door([waits(), waits(3), admitted], [new Problem("WAITING", 409, { reason: "moment", retryAfterSeconds: 1 }), null]);
  assert.equal(await letIn("e1", d), "in");
  assert.deepEqual(d.asked.filter((a) => a.startsWith("claim")), ["claim fresh", "claim fresh"], "nobody claims before the turn");
});

test("a line that is only being set up gets more time", async () => {
  const setUp = { status: "WAITING", ahead: null, phase: "draw" };
  assert.equal(await letIn("e1", door([...Array<Answer>(12).fill(setUp), admitted])), "in");
  assert.equal(await letIn("e1", door([setUp])), "line");
});

test("a door that stays shut is a line, soon and after few requests", async () => {
  const d = door([waits()]);
  assert.equal(await letIn("e1", d), "line");
  assert.ok(d.asked.length <= 8, `${d.asked.length} requests`);
});

test("without a network nobody is sent to another page, which would not come", async () => {
  const none = new Problem("OFFLINE", 0);
  assert.equal(await letIn("e1", door([none])), "cut-off");
  assert.equal(await letIn("e1", door([admitted], [none])), "cut-off");
});

test("with a crowd ahead nobody knocks", async () => {
  const d = door([waits(50_000)]);
  assert.equal(await letIn("e1", d), "line");
  assert.deepEqual(d.asked, ["enter"]);
});

test("a kept ticket is tried first; one that counts no more is replaced, once", async () => {
  keepTicket("e1", "kept");
  const d = door([admitted]);
  assert.equal(await letIn("e1", d), "in");
  assert.deepEqual(d.asked, ["place kept", "claim kept"]);
  const stale = door([{ status: "CLOSED", ahead: null, reason: "restarted" }, admitted]);
  assert.equal(await letIn("e1", stale), "in");
  assert.deepEqual(stale.asked, ["place kept", "enter", "claim fresh"]);
  assert.equal(keptTicket("e1"), null);
});

test("whatever has to be explained is the waiting room's; without a session it is the door's", async () => {
  const refusing = (code: string, status: number): Doorway => door([new Problem(code, status)]);
  assert.equal(await letIn("e1", refusing("CHALLENGE_REQUIRED", 403)), "line");
  assert.equal(await letIn("e1", refusing("UNAUTHENTICATED", 401)), "signed-out");
  assert.equal(await letIn("e1", door([{ status: "SECOND_CHANCE", ahead: null }])), "line");
});
