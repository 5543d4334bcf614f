import { exponent } from "../i18n/format.ts";
import type { EventDetail } from "../api/types.ts";

/** What a partner says with attributes. Prices are in units of the event's currency ("120.50"), as people write them. */
export interface Settings {
  event: string;
  frame: boolean;
  theme: "auto" | "light" | "dark";
  minPrice: number | undefined;
  maxPrice: number | undefined;
  categories: string[] | undefined;
  sections: string[] | undefined;
  accessible: boolean;
  maxSeats: number | undefined;
  heading: boolean;
}

/** Attributes that the element follows, in the order of the documentation. */
export const ATTRIBUTES = [
  "event", "lang", "mode", "theme", "min-price", "max-price", "categories", "sections", "accessible", "max-seats", "heading",
] as const;

/** Those with which the element starts over. */
export const ANEW: ReadonlySet<string> = new Set(["event", "lang", "mode"]);

/** Reads the attributes; what makes no sense is as if it were not there. */
export function readSettings(attribute: (name: string) => string | null): Settings {
  const text = (name: string): string => (attribute(name) ?? "").trim();
  const number = (name: string): number | undefined => (/^\d+(\.\d+)?$/.test(text(name)) ? Number(text(name)) : undefined);
  const list = (name: string): string[] | undefined => {
    const items = text(name).split(",").map((item) => item.trim()).filter(Boolean);
    return items.length > 0 ? items : undefined;
  };
  const theme = text("theme"), seats = number("max-seats");
  return {
    event: text("event"), frame: text("mode") === "frame", theme: theme === "light" || theme === "dark" ? theme : "auto",
    minPrice: number("min-price"), maxPrice: number("max-price"), categories: list("categories"), sections: list("sections"),
    accessible: attribute("accessible") !== null && text("accessible") !== "false",
    maxSeats: seats && seats >= 1 ? Math.floor(seats) : undefined, heading: text("heading") !== "none",
  };
}

/** What of the event is shown at all, as filters and messages say it: prices in minor units. */
export interface Limits {
  minPrice: number | undefined;
  maxPrice: number | undefined;
  categories: string[] | undefined;
  sections: string[] | undefined;
  accessible: true | undefined;
}

export function limitsOf({ minPrice, maxPrice, categories, sections, accessible }: Settings, { currency }: Pick<EventDetail, "currency">): Limits {
  const minor = (n: number | undefined): number | undefined => n === undefined ? n : Math.round(n * 10 ** exponent(currency));
  return { minPrice: minor(minPrice), maxPrice: minor(maxPrice), categories, sections, accessible: accessible || undefined };
}
