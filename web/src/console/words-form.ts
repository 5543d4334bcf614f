import { clock } from "../base/clock.ts";
import { h } from "../base/dom.ts";
import { choice, field, Unready } from "./form.ts";
import { t } from "./words.ts";

const CAUSES = ["payments", "venue", "technical", "safety", "news"] as const;
const MINUTES = [5, 10, 15, 30, 60, 120];

/** What the fans are told: a cause, words in every language of the pages, and when they hear more. */
export function wordsForm(): { elements: HTMLElement[]; value: () => { reason: string; text: Record<string, string>; nextUpdate: string }; clear: () => void } {
  const cause = choice(CAUSES.map((c) => [c, t(`cause_${c}`)]));
  const next = choice(MINUTES.map((n) => [String(n), t("opMinutes", { n })]));
  next.value = "15";
  const texts = (["en", "es", "pt-BR"] as const).map((lang) => [lang, h("textarea", { class: "input", rows: 2, maxlength: 240, lang })] as const);
  const labels = { en: t("opTextEn"), es: t("opTextEs"), "pt-BR": t("opTextPt") };
  return {
    elements: [field(t("opReason"), cause), ...texts.map(([lang, area]) => field(labels[lang], area)), field(t("opNext"), next)],
    value: () => {
      const text: Record<string, string> = {};
      for (const [lang, area] of texts) {
        text[lang] = area.value.trim().replace(/\s+/g, " ");
        if (!text[lang]) throw new Unready(t("opTextMissing"), area);
      }
      return { reason: cause.value, text, nextUpdate: new Date(clock.now() + Number(next.value) * 60_000).toISOString() };
    },
    clear: () => texts.forEach(([, area]) => (area.value = "")),
  };
}
