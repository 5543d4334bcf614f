export const base = {
  // shell
  events: "Events",
  signOut: "Sign out",
  signedInAs: "Signed in as {email}",
  retry: "Try again",

  // errors
  errOffline: "You seem to be offline. We will try again as soon as you are back.",
  errUnreachable: "Plateia does not answer. Your network, or something in your browser, may be in the way. We keep trying.",
  netOffline: "You are offline: what you see may be a little old. Your place is kept, and held seats until their time is up.",
  errServer: "Something went wrong on our side. Your seats and your money are not affected.",
  errBusy: "Very many people are here right now. Please try again in a moment.",
  errNotFound: "We could not find this. The link may be old or mistyped.",
  errRateLimited: "That was a lot of tries in a short time. Please wait {seconds} s.",
  errGeneric: "That did not work. Please try again.",
  errSession: "Please sign in again. We go on right where you were.",
  errReference: "Reference {id}",

  // door
  signIn: "Sign in",
  doorTitle: "Sign in to buy",
  email: "E-mail address",
  emailInvalid: "Please enter a complete e\u2011mail address, such as name@example.com.",
  sendCode: "Send me a code",
  codeTitle: "Enter your code",
  codeSent: "We sent a six\u2011digit code to {email}.",
  codeResent: "We sent a new code to {email}. Only the newest one counts.",
  codeAgain: "Send a new code",
  code: "Six-digit code",
  codeInvalid: "This code is not right or no longer valid. Please check it, or ask for a new one.",
  confirm: "Continue",
  otherEmail: "Use another address",
  devHint: "Development mode:",
  devInbox: "open the inbox with your code",

  // map
  stage: "Stage",
  pitch: "Field",
  live: "Live",
  section: "Section",
  row: "Row",
  seat: "Seat",
  sectionName: "Section {section}",
  seatName: "{section}, row {row}, seat {seat}",

  // panel
  tickets: "Tickets",
  total: "Total",
  feesIncluded: "All fees included",
  taxIncluded: "Includes {tax} tax ({rate})",

  // hold
  timeLeft: "Time left",
  left5: "5 minutes left to pay for your seats.",
  left2: "2 minutes left to pay for your seats.",
  left1: "1 minute left to pay for your seats.",
  left30: "30 seconds left to pay for your seats.",
  goPay: "Go to payment",

  // pay
  payDelayed: "Payment delayed: the payment partners do not answer right now. Your seats are safe.",
};
