/** What the list of the inbox says: in a tab that is empty, above rows that wait, and in those that are late. */
export const en = {
  empty: {
    waiting: {
      title: 'Nobody is waiting',
      text: 'Visitors who ask for a person appear here at once.'
    },
    mine: {
      title: 'You have no conversations',
      text: 'Those you take over or are given appear here.'
    },
    agent: {
      title: 'Your agents are not talking to anyone',
      text: 'Conversations that an agent answers alone appear here.'
    },
    closed: {
      title: 'Nothing is closed yet',
      text: 'Conversations that are over appear here.'
    }
  },
  all: 'Show all conversations',
  dense: 'Compact list',
  fresh: '{n} new',
  late: '{time} overdue'
}

/** What every language says. */
export type ListTexts = typeof en
