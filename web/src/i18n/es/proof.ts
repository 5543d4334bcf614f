import type { proof as english } from "../en/proof.ts";

export const proof: Record<keyof typeof english, string> = {
  proofWait: "Pidiendo el registro público…",
  proofNone: "No se pudo leer el registro público de este sorteo. Inténtalo más tarde.",
  proofLead: "Estos valores se publicaron paso a paso, cada uno antes de que pudiera saberse el siguiente. Tu navegador acaba de comprobarlos.",
  proofNotPublic: "Ningún número aleatorio público llegó a tiempo. El sorteo salió de nuestro secreto y de la lista de entradas, fijados antes; no es comprobable públicamente.",
  proofCommitted: "A las {time}, antes de que nadie pudiera entrar, fijamos un secreto publicando su hash. Lo que revelamos después coincide.",
  proofCut: "A las {time} se cerró la lista con {n} entradas. Se publicó su huella, para que nadie pueda añadirse después.",
  proofRound: "Después llegó la ronda {round} de drand, un número aleatorio público hecho por muchas organizaciones juntas.",
  proofSeed: "Todo junto da la semilla del sorteo.",
  proofSigned: "Todas las declaraciones están firmadas con nuestras claves publicadas.",
  proofUnsigned: "Este navegador no sabe comprobar firmas de este tipo.",
  proofForged: "Una firma no es buena. Avísanos y guarda esta página.",
  proofOwn: "Tu puesto",
  proofOwnLead: "Tu puesto sale de la semilla y de un nombre que solo tú tienes en este sorteo. El script de abajo lo calcula, aquí o en la consola de cualquier navegador.",
  proofRun: "Ejecutar el script",
  proofSame: "Igual que en la fila:",
  proofOther: "Distinto que en la fila:",
  proofPlace: "más o menos el puesto {at} de {n}",
  proofWhole: "El sorteo entero, con la firma del número público y todas las entradas, lo comprueba {command}.",
};
