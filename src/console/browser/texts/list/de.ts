import type { ListTexts } from './en.ts'

export const de: ListTexts = {
  empty: {
    waiting: {
      title: 'Niemand wartet',
      text: 'Wer nach einem Menschen fragt, erscheint hier sofort.'
    },
    mine: {
      title: 'Sie haben keine Gespräche',
      text: 'Gespräche, die Sie übernehmen oder die Ihnen zugewiesen werden, erscheinen hier.'
    },
    agent: {
      title: 'Kein Agent ist im Gespräch',
      text: 'Gespräche, die ein Agent allein beantwortet, erscheinen hier.'
    },
    closed: {
      title: 'Noch nichts ist geschlossen',
      text: 'Geschlossene Gespräche erscheinen hier.'
    }
  },
  all: 'Alle Gespräche anzeigen',
  dense: 'Kompakte Liste',
  fresh: 'Neu: {n}',
  late: '{time} überfällig'
}
