import type { ListTexts } from './en.ts'

export const es: ListTexts = {
  empty: {
    waiting: {
      title: 'Nadie está esperando',
      text: 'Los visitantes que piden una persona aparecen aquí al momento.'
    },
    mine: {
      title: 'No tiene conversaciones',
      text: 'Las que tome o le asignen aparecen aquí.'
    },
    agent: {
      title: 'Ningún agente está conversando',
      text: 'Las conversaciones que un agente atiende solo aparecen aquí.'
    },
    closed: {
      title: 'Aún no hay nada cerrado',
      text: 'Las conversaciones terminadas aparecen aquí.'
    }
  },
  all: 'Mostrar todas las conversaciones',
  dense: 'Lista compacta',
  fresh: 'Nuevas: {n}',
  late: '{time} de retraso'
}
