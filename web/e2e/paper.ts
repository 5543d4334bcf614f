/** How many pictures are on each page of a PDF that Chromium has printed. One that a page's end cuts is on two pages. */
export function picturesOnPages(pdf: Buffer): number[] {
  const objects = new Map<string, string>();
  for (const [, id, body] of pdf.toString("latin1").matchAll(/(?:^|\n)(\d+) 0 obj\n([^]*?)(?:\nstream\r?\n|\nendobj)/g)) objects.set(id!, body!);
  const picture = (id: string): boolean => /\/Subtype \/Image\b/.test(objects.get(id) ?? "");
  const inner = (id: string): string[] => [id, ...(/\/Subtype \/Form\b/.test(objects.get(id) ?? "") ? used(objects.get(id)!) : [])];
  const used = (body: string): string[] => [.../\/XObject <<([^>]*)>>/.exec(body)?.[1]?.matchAll(/(\d+) 0 R/g) ?? []].flatMap(([, id]) => inner(id!));
  return [...objects.values()].filter((body) => /\/Type \/Page\b/.test(body)).map((body) => new Set(used(body).filter(picture)).size);
}
