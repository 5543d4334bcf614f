import { json, send } from "../api/client.ts";
import { h, icon, icons } from "../base/dom.ts";
import { proof } from "../i18n/en/proof.ts";
import { count, speech } from "../i18n/speech.ts";
import type { Draw, Verdict } from "../room/chain.ts";
import address from "../room/own-rank.js";
import { fraction } from "../room/rank.ts";
import type { Known } from "./later.ts";
import { type DrawRecord, readDraw } from "./record.ts";
import { clockTime } from "./words.ts";

const { t, plural } = speech(proof);

/** Shows how the draw went and checks it here: what is public of it, one's own rank, and the script that computes it. */
export async function showProof(root: HTMLElement, event: string, { document: d, ticket }: Known): Promise<void> {
  if (!d?.seed) return;
  root.replaceChildren(h("p", { class: "soft" }, t("proofWait")));
  try {
    const draw = await readDraw(d.epoch, (fresh) => json<DrawRecord>(`/v1/events/${event}/draw/statements`, { cache: fresh ? "no-cache" : "default" }),
      (ms) => new Promise((done) => setTimeout(done, ms)));
    root.replaceChildren(...story(draw, d.seed), ...(ticket && ticket.class === "lottery" ? await own(event, d.seed, ticket, draw) : []), h("p", { class: "soft" }, t("proofWhole")), h("pre", { tabindex: "0" }, `plateia audit draw \\\n  --url ${location.origin} \\\n  --event ${event}`));
  } catch {
    root.replaceChildren(h("p", { class: "soft" }, t("proofNone")));
  }
}

const clock = (iso: string): string => clockTime(Date.parse(iso));

function story({ commitment, cutOff, reveal, ...checks }: Draw, seed: string): HTMLElement[] {
  const line = (verdict: Verdict, text: string, value = ""): HTMLElement => h("li", { class: verdict === false ? "bad" : verdict ? "ok" : "" },
    icon(verdict === false ? icons.alert : verdict ? icons.check : icons.minus), h("div", null, text, value && h("code", null, value)));
  const round = reveal?.beacon, seeded = checks.seed && reveal?.seed === seed;
  const fits = checks.secret === null ? "" : ` ${t(checks.secret ? "proofFits" : "proofFitsNot")}`;
  return [
    h("p", null, t(!reveal ? "proofYet" : round ? "proofLead" : "proofNotPublic")),
    h("ol", { class: "checks" },
      line(checks.secret, t("proofCommitted", { time: clock(commitment.at) }) + fits, commitment.secret),
      cutOff && line(checks.chained, plural("proofCut", cutOff.count, { time: clock(cutOff.at) }), cutOff.root),
      round ? line(checks.random, t("proofRound", { round: round.round }), round.randomness) : null,
      reveal && line(seeded, t(seeded === false ? "proofSeedNot" : "proofSeed"), reveal.seed),
      line(checks.signed, t(checks.signed === null ? "proofUnsigned" : checks.signed ? "proofSigned" : "proofForged")))];
}

/** One's own rank: the script that is shown is the one that runs. */
async function own(event: string, seed: string, ticket: NonNullable<Known["ticket"]>, draw: Draw): Promise<HTMLElement[]> {
  const script = (await (await send(address, { accept: "*/*" })).text()).trim();
  const call = `await rank(\n  "${seed}",\n  "${event}", ${ticket.epoch},\n  "${ticket.pseudonym}")`;
  const result = h("output", { class: "rank", id: "own-rank" });
  const run = async (): Promise<void> => {
    const module = (await import(address)) as { rank(seed: string, event: string, epoch: number, pseudonym: string): Promise<string> };
    const rank = await module.rank(seed, event, ticket.epoch, ticket.pseudonym);
    const n = draw.cutOff?.count ?? 0, at = Math.floor(fraction(rank) * n) + 1;
    result.textContent = `${t(rank === ticket.rank ? "proofSame" : "proofOther")} ${rank}${n > 0 ? `, ${t("proofPlace", { at: count(at), n: count(n) })}` : ""}`;
  };
  return [
    h("h3", null, t("proofOwn")), h("p", { class: "soft" }, t("proofOwnLead")),
    h("pre", { tabindex: "0" }, `${script}\n\n${call}`),
    h("button", { class: "button quiet", type: "button", id: "run-rank", onclick: () => void run() }, t("proofRun")), result];
}
