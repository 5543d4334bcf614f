// What a fan's choice and hold become in the book of seats. Whoever changes it answers the ordinals whose look changed.
import type { SeatBook } from "./book.ts";

/** How many places of an area this fan may have: free ones and their own. */
export const roomIn = (book: SeatBook, section: number): number => book.free[section] + (book.myPlaces.get(section) ?? 0);

/** Chooses n places of an area in all. */
export function choosePlaces({ places }: SeatBook, section: number, n: number): void {
  if (n > 0) places.set(section, n);
  else places.delete(section);
}

/** Chosen seats that somebody else has by now; they leave the choice. */
export function dropLost(book: SeatBook): number[] {
  const lost = [...book.chosen].filter((o) => !book.choosable(o)).sort((a, b) => a - b);
  for (const o of lost) book.chosen.delete(o);
  return lost;
}

/** Areas of the choice in which somebody else was faster; what is left of their places stays chosen. */
export function dropLostPlaces(book: SeatBook): number[] {
  const lost = [...book.places].filter(([section, n]) => n > roomIn(book, section));
  for (const [section] of lost) choosePlaces(book, section, roomIn(book, section));
  return lost.map(([section]) => section);
}

/** Says which seats the fan's live hold has (none: no hold). The choice becomes the hold. */
export function takeHold(book: SeatBook, ordinals: readonly number[]): number[] {
  const { mine, myPlaces, chosen, places, chart } = book, touched = new Set([...mine, ...chosen, ...ordinals]);
  for (const set of [mine, chosen, places, myPlaces]) set.clear();
  for (const o of ordinals) {
    const section = chart.section[o];
    if (chart.sections[section].general) myPlaces.set(section, (myPlaces.get(section) ?? 0) + 1);
    else mine.add(o);
  }
  undoChoice(book);
  return [...touched];
}

/** The choice becomes what is held again. */
export function undoChoice({ chosen, places, mine, myPlaces }: SeatBook): number[] {
  const touched = [...chosen, ...mine];
  chosen.clear();
  places.clear();
  for (const o of mine) chosen.add(o);
  for (const [section, n] of myPlaces) places.set(section, n);
  return touched;
}

/** Whether the choice differs from the hold. */
export const isEdited = ({ chosen, places, mine, myPlaces }: SeatBook): boolean =>
  chosen.size !== mine.size || [...chosen].some((o) => !mine.has(o)) || places.size !== myPlaces.size || [...places].some(([section, n]) => myPlaces.get(section) !== n);

/** Whether the fan holds anything. */
export const isHolding = ({ mine, myPlaces }: SeatBook): boolean => mine.size + myPlaces.size > 0;
