import type { ListTexts } from './en.ts'

export const fr: ListTexts = {
  empty: {
    waiting: {
      title: 'Personne n’attend',
      text: 'Les visiteurs qui demandent un conseiller apparaissent ici aussitôt.'
    },
    mine: {
      title: 'Vous n’avez aucune conversation',
      text: 'Celles que vous prenez en charge ou qui vous sont attribuées apparaissent ici.'
    },
    agent: {
      title: 'Aucun agent n’est en conversation',
      text: 'Les conversations auxquelles un agent répond seul apparaissent ici.'
    },
    closed: {
      title: 'Rien n’est encore fermé',
      text: 'Les conversations fermées apparaissent ici.'
    }
  },
  all: 'Afficher toutes les conversations',
  dense: 'Liste compacte',
  fresh: 'Nouvelles : {n}',
  late: '{time} de retard'
}
