export const embed = {
  // the frame in a partner's page
  counterTitle: "Choose your seats on the map",
  counterLead: "Hold them, and they are yours while you pay.",
  counterBack: "Back to the map",
  counterAsking: "Getting your seats…",
  moreSeats: "Choose more seats",
  tooNew: "This page and the seat map in it are of different versions. Please load the page again.",
  unframedTitle: "This page belongs inside a partner’s site",
  unframedLead: "Here it has nothing to show. The event, its seats and its tickets are on our own page.",
  unframedGo: "Go to the event",

  // the payment's window
  payElsewhere: "Pay in the window that has opened. This page goes on by itself.",
  payBlocked: "Your browser kept the payment window closed. Please press once more.",
  payBlockedAgain: "Your browser keeps the payment window closed. You can pay on a page of its own; you sign in there once more.",
  payPlain: "Pay on a page of its own",
  payOpening: "Opening your payment…",
  payOpeningLead: "Your seats are safe. This takes a moment.",
  payStranger: "There is nothing to pay here",
  payStrangerLead: "This window opens by itself when you go to pay. What you have ordered is under “My orders”.",
  payLost: "The page that opened this window does not answer",
  payLostLead: "Nothing was charged, and your seats are held until their time runs out. Close this window and press “Go to payment” once more, or go on under “My orders”.",
  payAccount: "You are signed in as somebody else",
  payAccountLead: "Here you are signed in as {email}. The seats are held for {other}.",
  payAccountGo: "Go on as {other}",
  payAccountStay: "Stay signed in as {email}",
};
