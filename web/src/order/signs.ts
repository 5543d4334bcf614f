// Paths of the icons that only order pages have; base/dom.ts has everybody's.
export const signs = {
  printer: "M7 9V4h10v5M7 17H4v-6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v6h-3M7 14h10v6H7z",
  card: "M3 7a2 2 0 0 1 2-2h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM3 10h18M7 15h4",
  back: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10H9",
  shield: "M12 3l7 3v5c0 5-3 8.500-7 10-4-1.500-7-5-7-10V6zM9 12l2 2 4-4",
} as const;
