import type { PageProps } from '../page.ts'
import { linkTo } from '../../router.ts'
import { texts } from '../../texts/index.ts'
import { Page } from '../../ui/page.tsx'
import { currentInView } from '../../ui/tab.ts'
import { Config } from './config.tsx'
import { Hours } from './hours.tsx'
import { ModelProviders } from './model-providers.tsx'
import { Privacy } from './privacy.tsx'
import { TicketingProviders } from './ticketing-providers.tsx'
import { Webhooks } from './webhooks.tsx'

const TABS = {
  hours: Hours,
  models: ModelProviders,
  ticketing: TicketingProviders,
  webhooks: Webhooks,
  privacy: Privacy,
  config: Config
}
type Tab = keyof typeof TABS

/** The account's settings for all its agents, in six parts. */
export default function Business ({ params: { tab: asked = '' } }: PageProps) {
  const { business, nav } = texts.value
  const tab = (asked in TABS ? asked : 'hours') as Tab
  const Shown = TABS[tab]
  return (
    <Page title={nav.business}>
      <nav key={tab} class='tabs' aria-label={nav.business} ref={currentInView}>
        {(Object.keys(TABS) as Tab[]).map((one) => (
          <a key={one} href={linkTo(`/business/${one}`)} aria-current={one === tab ? 'page' : undefined}>
            {business.tabs[one]}
          </a>
        ))}
      </nav>
      <Shown />
    </Page>
  )
}
