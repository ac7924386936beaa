import type { AuditEvent } from '../../../../../schema/audit.ts'
import { useListing } from '../../listing.ts'
import { linkTo } from '../../router.ts'
import { fill, shownTime, texts } from '../../texts/index.ts'
import { More } from '../../ui/more.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { deedOf, kindOf } from './words.ts'

/** What was done in the account, by whom and when. */
export default function Audit () {
  const { audit } = texts.value
  const list = useListing<AuditEvent>('/audit')
  return (
    <Page title={audit.title} wide>
      <p class='quiet'>{audit.about}</p>
      <Loaded from={list.first} lines={6}>
        {() => list.items.length === 0
          ? <Empty title={audit.empty} text={audit.about} />
          : (
            <div class='card table' tabIndex={0} role='region' aria-label={audit.title}>
              <table>
                <thead>
                  <tr><th>{audit.when}</th><th>{audit.who}</th><th>{audit.what}</th></tr>
                </thead>
                <tbody>{list.items.map((event) => <Row key={event.id} event={event} />)}</tbody>
              </table>
            </div>
            )}
      </Loaded>
      <More more={list.more} />
    </Page>
  )
}

function Row ({ event: { at, user, by, action, target } }: { event: AuditEvent }) {
  const { audit } = texts.value
  const who = by === 'command_line' ? audit.operator : user?.name ?? audit.gone
  const { kind, number } = kindOf(target)
  const what = number === undefined ? audit.kinds[kind] : fill(audit.numbered, { what: audit.kinds[kind], n: number })
  const page = pageOf(target)
  return (
    <tr>
      <td class='when'>{shownTime(at)}</td>
      <td>
        {who}
        {by === 'key' && <><br /><span class='quiet'>{audit.byKey}</span></>}
      </td>
      <td class='long'>{page ? <a href={page}>{what}</a> : what}: {audit.deeds[deedOf(action)]}</td>
    </tr>
  )
}

/** The page of what something was done to, where it has one. */
function pageOf (target: string): string | undefined {
  const [kind, id] = target.split('/')
  if (id === undefined) return undefined
  if (kind === 'agents' || kind === 'tickets') return linkTo(`/${kind}/${id}`)
  return kind === 'conversations' ? linkTo(`/inbox/${id}`) : undefined
}
