/** What a tab of the inbox says while it is empty, and above rows that wait; by the page that this comes with. */
export const en = {
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
  },
  all: 'Show all conversations',
  fresh: '{n} new',
  late: '{time} overdue'
}

/** What every language says. */
export type NothingTexts = typeof en
