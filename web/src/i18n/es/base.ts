import type { base as english } from "../en/base.ts";

export const base: Record<keyof typeof english, string> = {
  // estructura
  events: "Eventos",
  signOut: "Salir",
  signedInAs: "Entraste como {email}",
  retry: "Intentar de nuevo",

  // errores
  errOffline: "Parece que no tienes conexión. Lo intentaremos de nuevo en cuanto vuelva.",
  errUnreachable: "Plateia no responde. Puede que tu red, o algo en tu navegador, lo impida. Seguimos intentando.",
  netOffline: "Sin conexión: lo que ves puede estar algo desactualizado. Conservas tu turno, y los asientos reservados hasta que acabe su tiempo.",
  errServer: "Algo falló de nuestro lado. Tus asientos y tu dinero no se ven afectados.",
  errBusy: "Hay muchísima gente aquí en este momento. Inténtalo de nuevo en un instante.",
  errNotFound: "No encontramos esta página. El enlace puede ser antiguo o estar incompleto.",
  errRateLimited: "Fueron muchos intentos en poco tiempo. Espera {seconds} s.",
  errGeneric: "No funcionó. Inténtalo de nuevo.",
  errSession: "Vuelve a entrar, por favor. Seguimos donde estabas.",
  errReference: "Referencia {id}",

  // entrada
  signIn: "Iniciar sesión",
  doorTitle: "Entra para comprar",
  email: "Correo electrónico",
  emailInvalid: "Escribe una dirección de correo completa, como nombre@example.com.",
  sendCode: "Enviarme un código",
  codeTitle: "Escribe tu código",
  codeSent: "Enviamos un código de seis dígitos a {email}.",
  codeResent: "Enviamos un código nuevo a {email}. Solo vale el más reciente.",
  codeAgain: "Enviar un código nuevo",
  code: "Código de seis dígitos",
  codeInvalid: "Este código no es correcto o ya no es válido. Revísalo o pide otro.",
  confirm: "Continuar",
  otherEmail: "Usar otra dirección",
  devHint: "Modo de desarrollo:",
  devInbox: "abrir el buzón con tu código",

  // mapa
  stage: "Escenario",
  pitch: "Campo",
  live: "En vivo",
  section: "Sección",
  row: "Fila",
  seat: "Asiento",
  sectionName: "Sección {section}",
  seatName: "{section}, fila {row}, asiento {seat}",

  // panel
  tickets: "Entradas",
  total: "Total",
  feesIncluded: "Cargos incluidos",
  taxIncluded: "Incluye {tax} de impuestos ({rate})",

  // reserva
  timeLeft: "Tiempo restante",
  left5: "Quedan 5 minutos para pagar tus asientos.",
  left2: "Quedan 2 minutos para pagar tus asientos.",
  left1: "Queda 1 minuto para pagar tus asientos.",
  left30: "Quedan 30 segundos para pagar tus asientos.",
  goPay: "Ir al pago",

  // pago
  payDelayed: "Pago demorado: los socios de pago no responden en este momento. Tus asientos están seguros.",
};
