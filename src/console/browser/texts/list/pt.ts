import type { ListTexts } from './en.ts'

export const pt: ListTexts = {
  empty: {
    waiting: {
      title: 'Ninguém está à espera',
      text: 'Os visitantes que pedem uma pessoa aparecem aqui na hora.'
    },
    mine: {
      title: 'Não tem conversas',
      text: 'As que assumir ou lhe forem atribuídas aparecem aqui.'
    },
    agent: {
      title: 'Nenhum agente está conversando',
      text: 'As conversas a que um agente responde sozinho aparecem aqui.'
    },
    closed: {
      title: 'Ainda não há nada encerrado',
      text: 'As conversas terminadas aparecem aqui.'
    }
  },
  all: 'Mostrar todas as conversas',
  dense: 'Lista compacta',
  fresh: 'Novas: {n}',
  late: '{time} de atraso'
}
