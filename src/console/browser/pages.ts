import { Bot, ChartLine, CircleUser, Inbox, KeyRound, Lightbulb, Rocket, Store, Ticket, Users, Zap } from 'lucide-preact'
import type { Page } from './pages/page.ts'
import { calling } from './calling/unread.ts'

/** All pages, in the order of the menu. */
export const PAGES: Page[] = [
  { path: '/', load: () => import('./pages/start/start.tsx'), nav: { text: 'start', icon: Rocket } },
  { path: '/agents', load: () => import('./pages/agents/agents.tsx'), nav: { text: 'agents', icon: Bot } },
  { path: '/agents/:id', load: () => import('./pages/editor/editor.tsx') },
  { path: '/agents/:id/knowledge', load: () => import('./pages/knowledge/knowledge.tsx') },
  { path: '/agents/:id/words', load: () => import('./pages/words/words.tsx') },
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
    nav: { text: 'inbox', icon: Inbox, count: calling }
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
    nav: { text: 'tickets', icon: Ticket }
  },
  { path: '/tickets/:id', load: () => import('./pages/tickets/ticket.tsx'), permissions: ['CREATE_TICKET'] },
  { path: '/audit', load: () => import('./pages/audit/audit.tsx'), permissions: ['CONFIGURE_BUSINESS'] },
  { path: '/deliveries', load: () => import('./pages/deliveries/deliveries.tsx'), permissions: ['CONFIGURE_BUSINESS'] },
  {
    path: '/actions',
    load: () => import('./pages/actions/actions.tsx'),
    permissions: ['MANAGE_AGENTS', 'CONFIGURE_BUSINESS'],
    nav: { text: 'actions', icon: Zap }
  },
  {
    path: '/suggestions',
    load: () => import('./pages/suggestions/suggestions.tsx'),
    permissions: ['MANAGE_KNOWLEDGE_BASE'],
    nav: { text: 'suggestions', icon: Lightbulb }
  },
  {
    path: '/figures',
    load: () => import('./pages/figures/figures.tsx'),
    permissions: ['VIEW_ANALYTICS'],
    nav: { text: 'figures', icon: ChartLine }
  },
  {
    path: '/team',
    load: () => import('./pages/team/team.tsx'),
    permissions: ['SEND_INVITE'],
    nav: { text: 'team', icon: Users }
  },
  {
    path: '/keys',
    load: () => import('./pages/keys/keys.tsx'),
    permissions: ['MANAGE_API_KEY'],
    nav: { text: 'keys', icon: KeyRound }
  },
  {
    path: '/business',
    load: () => import('./pages/business/business.tsx'),
    permissions: ['CONFIGURE_BUSINESS'],
    nav: { text: 'business', icon: Store }
  },
  { path: '/business/:tab', load: () => import('./pages/business/business.tsx'), permissions: ['CONFIGURE_BUSINESS'] },
  { path: '/account', load: () => import('./pages/account/account.tsx'), nav: { text: 'account', icon: CircleUser } }
]
