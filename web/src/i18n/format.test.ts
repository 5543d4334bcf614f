import { test } from "node:test";
import assert from "node:assert/strict";
import { all } from "./all.ts";
import { hour as spanish } from "./es/language.ts";
import { cardDate, eventDate, moneyStyle, oneTime, ownDate, shortDate, stub, venueLine } from "./format.ts";
import { fill } from "./speech.ts";

test("a venue without a city ends without a comma", () => {
  assert.equal(venueLine({ name: "Arena", city: "Recife", country: "BR" }), "Arena, Recife");
  assert.equal(venueLine({ name: "Plan", city: "", country: "" }), "Plan");
  assert.equal(venueLine({ name: "Plan", city: "", country: "" }, " · "), "Plan");
});

test("an hour and its PM stay in one line", () => {
  const at = "2027-02-22T23:00:00Z", zone = "America/New_York";
  for (const date of [eventDate(at, zone), cardDate(at, zone, (d) => d), oneTime(shortDate(at, zone)), ownDate(at)]) assert.match(date, /\d[\u00a0\u202f][AP]M/, date);
});

test("hours are written the language's way: no 08:00 PM", () => {
  const at = "2027-02-21T23:00:00Z";
  assert.match(eventDate(at, "America/Sao_Paulo"), /\b8:00[\u00a0\u202f]PM/);
  assert.doesNotMatch(stub(at, "America/Sao_Paulo").time, /^0/);
});

test("case 35: times are the place's on both sides of a change of clocks, wherever the reader is", () => {
  for (const [at, zone, said] of [ // the zone is named to readers whose clocks show something else
    ["2026-03-08T06:59:00Z", "America/New_York", /March 8.*1:59\sAM( EST)?$/], // a minute before the clocks go forward
    ["2026-03-08T07:00:00Z", "America/New_York", /March 8.*3:00\sAM( EDT)?$/],
    ["2026-11-01T05:30:00Z", "America/New_York", /November 1.*1:30\sAM( EDT)?$/], // this half hour is there twice
    ["2026-11-01T06:30:00Z", "America/New_York", /November 1.*1:30\sAM( EST)?$/],
    ["2026-10-24T23:30:00Z", "Europe/Lisbon", /October 25.*12:30\sAM( GMT\+1)?$/],
    ["2026-10-25T01:30:00Z", "Europe/Lisbon", /October 25.*1:30\sAM/],
    ["2026-11-30T11:00:00Z", "Pacific/Kiritimati", /December 1.*1:00\sAM( GMT\+14)?$/],
  ] as const) assert.match(eventDate(at, zone), said);
  assert.equal(stub("2026-11-30T01:30:00Z", "America/Sao_Paulo").day, "29");
});

test("a card's date is short, of the place, and says so to readers whose clock shows another", () => {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone, at = "2027-02-21T23:00:00Z", local = (date: string): string => `${date} there`;
  assert.match(cardDate(at, "Pacific/Kiritimati", local), /^Mon, Feb 22, 2027, 1:00\sPM( there)?$/);
  assert.doesNotMatch(cardDate(at, zone, local), /there/);
});

test("one o'clock is the only hour that is one: Spanish sentences take a time with its article", () => {
  const said = (time: string): string => fill(all.es.extended, { time: spanish(time) });
  for (const time of ["1:05", "01:59", "1:05:09"]) assert.match(said(time), /hasta la 0?1:/);
  for (const time of ["0:59", "2:00", "10:30", "13:05", "11:11", "21:05"]) assert.match(said(time), new RegExp(`hasta las ${time}`));
  for (const [language, texts] of Object.entries(all)) for (const [key, text] of Object.entries(texts)) {
    assert.doesNotMatch(text, language === "es" ? /\blas \{(time|low|high)\}/ : /^$/, key);
  }
});

test("Brazil's money has one sign in every language, and no other currency takes a sign that could be another's", () => {
  for (const language of ["en", "es", "pt-BR"]) {
    const said = (currency: string): string => new Intl.NumberFormat(language, moneyStyle(currency)).format(2277).replace(/\s/g, " ");
    assert.match(said("BRL"), /^R\$ ?2[.,]277[.,]00$|^2277,00 R\$$/, language);
    assert.match(said("ARS"), /ARS/, language);
  }
});
