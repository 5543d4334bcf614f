export const page = {
  // shell
  skip: "Skip to content",
  mainMenu: "Main menu",
  myOrders: "My orders",
  noScript: "This page needs JavaScript to show live seats. Please switch it on and reload the page.",
  loading: "Loading…",
  footer: "Every seat is sold once. The total you see is what you pay.",

  // errors
  missingTitle: "There is no such page",

  // event list
  listTitle: "What do you want to see live?",
  listLead: "Live seat maps, honest prices, and a line that is fair.",
  searchLabel: "Search by event, artist, venue or city",
  searchPlaceholder: "Event, artist, venue or city",

  // map
  mapTitle: "Seat map",

  // waiting room
  roomTitle: "Waiting room",
  roomNoScript: "This page works better with JavaScript. Without it there is a plain form that does the same.",
  roomPlain: "Use the plain form",
  proofTitle: "How the draw was made, and how to check it",
  askFair: "Is this fair?",
  askFairLead: "Enter before sales open and you are in the draw; come later and you stand behind it, in order of arrival. The draw follows from a public random number that nobody can choose, not even us, and anybody can check the result.",
  askKeep: "What if I close this page?",
  askKeepLead: "Your place belongs to your account. Reload, close the page, lose the connection: it stays. More tabs or devices do not bring more places.",
  askPause: "Why does it sometimes stand still?",
  askPauseLead: "As many people go in as come out, so that the seats work well for everybody inside. When something is not right we pause, say why, and stop every clock.",

  // in partners' pages
  payWindow: "Payment",
  bySecure: "Signing in, seats and payment are at Plateia, not on this page.",

  // finding events
  findFilters: "Filters",
  findMeant: "Search only in",
  findCity: "City",
  findAnyCity: "Any city",
  findNearMe: "Near me",
  findWithin: "Distance",
  findWhen: "When",
  findAnyDay: "Any day",
  findToday: "Today",
  findWeekend: "This weekend",
  findWeek: "Next 7 days",
  findMonth: "Next 30 days",
  findOwnDays: "Choose dates",
  findFrom: "From",
  findTo: "To",
  findGenre: "Genre",
  findAnyGenre: "All genres",
  findVenue: "Venue",
  findAnyVenue: "Any venue",
  findSort: "Sort by",
  findSoonest: "Date",
  findCheapest: "Lowest price",
  findNearest: "Distance",
  findClear: "Clear filters",
  findShow: "Show events",
  findClose: "Close filters",
};
