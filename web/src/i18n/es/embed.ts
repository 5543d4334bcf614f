import type { embed as english } from "../en/embed.ts";

export const embed: Record<keyof typeof english, string> = {
  // the frame in a partner's page
  counterTitle: "Elige tus asientos en el mapa",
  counterLead: "Resérvalos y son tuyos mientras pagas.",
  counterBack: "Volver al mapa",
  counterAsking: "Reservando tus asientos…",
  moreSeats: "Elegir más asientos",
  tooNew: "Esta página y el mapa que contiene son de versiones distintas. Vuelve a cargar la página.",
  unframedTitle: "Esta página va dentro del sitio de un socio",
  unframedLead: "Aquí no tiene nada que mostrar. El evento, los asientos y las entradas están en nuestra propia página.",
  unframedGo: "Ir al evento",

  // the payment's window
  payElsewhere: "Paga en la ventana que se ha abierto. Esta página continúa sola.",
  payBlocked: "Tu navegador no abrió la ventana de pago. Pulsa una vez más.",
  payBlockedAgain: "Tu navegador no deja abrir la ventana de pago. Puedes pagar en una página aparte; allí inicias sesión una vez más.",
  payPlain: "Pagar en una página aparte",
  payOpening: "Abriendo tu pago…",
  payOpeningLead: "Tus asientos están seguros. Es solo un momento.",
  payStranger: "Aquí no hay nada que pagar",
  payStrangerLead: "Esta ventana se abre sola cuando vas a pagar. Lo que has pedido está en «Mis pedidos».",
  payLost: "La página que abrió esta ventana no responde",
  payLostLead: "No se cobró nada y tus asientos siguen reservados hasta que se acabe el tiempo. Cierra esta ventana y pulsa «Ir al pago» una vez más, o continúa en «Mis pedidos».",
  payAccount: "Has iniciado sesión con otra cuenta",
  payAccountLead: "Aquí has iniciado sesión como {email}. Los asientos están reservados para {other}.",
  payAccountGo: "Continuar como {other}",
  payAccountStay: "Seguir como {email}",
};
