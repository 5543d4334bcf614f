import type { proof as english } from "../en/proof.ts";

export const proof: Record<keyof typeof english, string> = {
  proofWait: "Buscando o registro público…",
  proofNone: "Não foi possível ler o registro público deste sorteio. Tente de novo mais tarde.",
  proofLead: "Estes valores foram publicados passo a passo, cada um antes que se pudesse saber o seguinte. O seu navegador acabou de conferir.",
  proofNotPublic: "Nenhum número aleatório público chegou a tempo. O sorteio veio do nosso segredo e da lista de entradas, fixados antes; ele não pode ser conferido publicamente.",
  proofCommitted: "Às {time}, antes que alguém pudesse entrar, fixamos um segredo publicando o seu hash. O que revelamos depois confere.",
  proofCut: "Às {time} a lista foi fechada com {n} entradas. A impressão digital dela foi publicada, para que ninguém seja acrescentado depois.",
  proofRound: "Então veio a rodada {round} do drand, um número aleatório público feito por muitas organizações juntas.",
  proofSeed: "Tudo isso junto dá a semente do sorteio.",
  proofSigned: "Todas as declarações estão assinadas com as nossas chaves publicadas.",
  proofUnsigned: "Este navegador não sabe conferir assinaturas deste tipo.",
  proofForged: "Uma assinatura não confere. Avise a gente e guarde esta página.",
  proofOwn: "O seu lugar",
  proofOwnLead: "O seu lugar vem da semente e de um nome que só você tem neste sorteio. O script abaixo faz a conta, aqui ou no console de qualquer navegador.",
  proofRun: "Rodar o script",
  proofSame: "Igual ao da fila:",
  proofOther: "Diferente do da fila:",
  proofPlace: "cerca do lugar {at} de {n}",
  proofWhole: "O sorteio inteiro, com a assinatura do número público e todas as entradas, é conferido por {command}.",
};
