import { Bot, ChartLine, CircleUser, ClipboardCheck, Inbox, KeyRound, Lightbulb, ListChecks, Rocket, Store, Ticket, Users, Zap } from 'lucide-preact'
import type { Page } from './pages/page.ts'
import { readers } from './resource.ts'
import { calling } from './calling/unread.ts'

/** All pages, in the order of the menu. */
export const PAGES: Page[] = [
  { path: '/', load: () => import('./pages/start/start.tsx'), nav: { group: 'own', text: 'start', icon: Rocket } },
  { path: '/agents', load: () => import('./pages/agents/agents.tsx'), nav: { group: 'teach', text: 'agents', icon: Bot } },
  {
    path: '/imports', load: () => import('./pages/bring/bring.tsx'), permissions: ['MANAGE_AGENTS']
  },
  {
    path: '/imports/:id', load: () => import('./pages/bring/one.tsx'), permissions: ['MANAGE_AGENTS']
  },
  { path: '/agents/:id', load: () => import('./pages/editor/editor.tsx') },
  { path: '/agents/:id/knowledge', load: () => import('./pages/knowledge/knowledge.tsx') },
  { path: '/agents/:id/words', load: () => import('./pages/words/words.tsx') },
  { path: '/agents/:id/rules', load: () => import('./pages/rules/rules.tsx') },
  {
    path: '/agents/:id/try',
    load: () => import('./pages/try/try.tsx'),
    permissions: ['REPLY_CONVERSATION', 'MANAGE_AGENTS']
  },
  { path: '/agents/:id/questions', load: () => import('./pages/questions/questions.tsx') },
  { path: '/agents/:id/versions', load: () => import('./pages/versions/versions.tsx') },
  { path: '/agents/:id/site', load: () => import('./pages/site/site.tsx') },
  {
    path: '/inbox',
    load: () => import('./pages/inbox/inbox.tsx'),
    permissions: ['REPLY_CONVERSATION'],
    keep: 'inbox',
    nav: { group: 'work', text: 'inbox', icon: Inbox, count: calling }
  },
  {
    path: '/inbox/:id',
    load: () => import('./pages/inbox/inbox.tsx'),
    permissions: ['REPLY_CONVERSATION'],
    keep: 'inbox'
  },
  {
    path: '/tickets',
    load: () => import('./pages/tickets/tickets.tsx'),
    permissions: ['CREATE_TICKET'],
    nav: { group: 'work', text: 'tickets', icon: Ticket }
  },
  { path: '/tickets/:id', load: () => import('./pages/tickets/ticket.tsx'), permissions: ['CREATE_TICKET'] },
  { path: '/audit', load: () => import('./pages/audit/audit.tsx'), permissions: ['CONFIGURE_BUSINESS'] },
  { path: '/deliveries', load: () => import('./pages/deliveries/deliveries.tsx'), permissions: ['CONFIGURE_BUSINESS'] },
  {
    path: '/actions',
    load: () => import('./pages/actions/actions.tsx'),
    permissions: ['MANAGE_AGENTS', 'CONFIGURE_BUSINESS'],
    nav: { group: 'teach', text: 'actions', icon: Zap }
  },
  {
    path: '/suggestions',
    load: () => import('./pages/suggestions/suggestions.tsx'),
    permissions: ['MANAGE_KNOWLEDGE_BASE'],
    nav: { group: 'teach', text: 'suggestions', icon: Lightbulb }
  },
  {
    path: '/reviews',
    load: () => import('./pages/reviews/reviews.tsx'),
    permissions: ['REPLY_CONVERSATION'],
    nav: { group: 'work', text: 'reviews', icon: ClipboardCheck }
  },
  {
    path: '/figures',
    load: () => import('./pages/figures/figures.tsx'),
    permissions: ['VIEW_ANALYTICS'],
    nav: { group: 'teach', text: 'figures', icon: ChartLine }
  },
  {
    path: '/team',
    load: () => import('./pages/team/team.tsx'),
    permissions: ['SEND_INVITE'],
    nav: { group: 'own', text: 'team', icon: Users }
  },
  {
    path: '/keys',
    load: () => import('./pages/keys/keys.tsx'),
    permissions: ['MANAGE_API_KEY'],
    nav: { group: 'own', text: 'keys', icon: KeyRound }
  },
  {
    path: '/assistant',
    load: () => import('./pages/keys/assistant.tsx'),
    permissions: ['MANAGE_API_KEY']
  },
  {
    path: '/business',
    load: () => import('./pages/business/business.tsx'),
    permissions: ['CONFIGURE_BUSINESS'],
    nav: { group: 'own', text: 'business', icon: Store }
  },
  { path: '/business/:tab', load: () => import('./pages/business/business.tsx'), permissions: ['CONFIGURE_BUSINESS'] },
  {
    path: '/going-live',
    load: () => import('./pages/live/live.tsx'),
    permissions: ['CONFIGURE_BUSINESS'],
    nav: { group: 'own', text: 'live', icon: ListChecks }
  },
  {
    path: '/account',
    load: () => import('./pages/account/account.tsx'),
    nav: { group: 'own', text: 'account', icon: CircleUser, isOwn: true }
  }
]

readers.rules = () => import('./pages/rules/rules.tsx')
