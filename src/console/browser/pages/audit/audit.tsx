import type { Agent } from '../../../../../schema/agents.ts'
import type { AuditEvent, AuditReport } from '../../../../../schema/audit.ts'
import type { Colleague } from '../../../../../schema/team.ts'
import { useListing } from '../../listing.ts'
import { useResource, type Resource } from '../../resource.ts'
import { linkTo } from '../../router.ts'
import { auditTexts } from '../../texts/audit/index.ts'
import { fill, labelled, shownAgo, shownTime, texts } from '../../texts/index.ts'
import { More } from '../../ui/more.tsx'
import { Badge, Page } from '../../ui/page.tsx'
import { Empty, Failure, Loaded, Skeleton } from '../../ui/states.tsx'
import { deedOf, kindOf } from './words.ts'

/** The audit log: what was done in the account, by whom and when. */
export default function Audit () {
  const { audit } = texts.value
  const list = useListing<AuditEvent>('/audit')
  const report = useResource<AuditReport>('/audit/verification')
  const [agents, colleagues] = [useResource<Agent[]>('/agents'), useResource<Colleague[]>('/colleagues')]
  const names: Names = {
    agentOf: (agent) => agents.data?.find(({ id }) => id === agent)?.name,
    memberOf: (member) => colleagues.data?.find((one) => one.member === member)?.name
  }
  // Rendered once all names are known, so that nothing moves.
  const areNamed = [agents, colleagues].every(({ data, error }) => data ?? error)
  return (
    <Page title={audit.title} width='wide'>
      <p class='quiet'>{audit.about}</p>
      {list.first.data && <Verified report={report} />}
      <Loaded from={list.first} lines={6}>
        {() => areNamed
          ? <Events items={list.items} names={names} fault={report.data?.fault?.event} />
          : <Skeleton lines={6} />}
      </Loaded>
      <More more={list.more} />
    </Page>
  )
}

/** Whether the log is as it was written. A line that stays, so that nothing moves while a long log is read. */
function Verified ({ report: { data, error, reload } }: { report: Resource<AuditReport> }) {
  const { checking, intact, ...said } = auditTexts()
  if (error) return <Failure error={error} retry={() => { reload() }} />
  if (!data?.fault) {
    return <p class='hint' role='status'>{data ? fill(intact, { when: shownAgo(data.verified_at) }) : checking}</p>
  }
  const { kind, at } = data.fault
  return <div class='failure' role='alert'><p>{fill(said[kind], { time: timeOf(at) })}</p></div>
}

/** A time of the log, which may no longer be one. */
const timeOf = (at: string) => Number.isNaN(Date.parse(at)) ? at : shownTime(at)

function Events ({ items, names, fault }: { items: AuditEvent[], names: Names, fault: number | undefined }) {
  const { audit } = texts.value
  if (items.length === 0) return <Empty title={audit.empty} text={audit.about} />
  return (
    <div class='card table as-list' tabIndex={0} role='region' aria-label={audit.title}>
      <table>
        <thead>
          <tr><th>{audit.when}</th><th>{audit.who}</th><th>{audit.what}</th></tr>
        </thead>
        <tbody>{items.map((one) => <Row key={one.id} event={one} names={names} isAltered={one.id === fault} />)}</tbody>
      </table>
    </div>
  )
}

/** Current names of agents and colleagues. */
interface Names { agentOf: (id: number) => string | undefined, memberOf: (id: number) => string | undefined }

function Row ({ event: { at, user, by, action, target }, names, isAltered }: {
  event: AuditEvent, names: Names, isAltered: boolean
}) {
  const { audit } = texts.value
  const who = by === 'command_line' ? audit.operator : user?.name ?? audit.gone
  const { kind, agent, member } = kindOf(target)
  const name = member === undefined ? agent && names.agentOf(agent) : names.memberOf(member)
  const belongs = kind === 'agent' || kind === 'member' ? `{what} ${audit.named}` : audit.belongs
  const what = name ? fill(belongs, { what: audit.kinds[kind], name }) : audit.kinds[kind]
  const page = pageOf(target)
  return (
    <tr>
      <td class='when'>{timeOf(at)}</td>
      <td>
        {who}
        {by === 'key' && <><br /><span class='quiet'>{audit.byKey}</span></>}
        {isAltered && <> <Badge tone='bad'>{auditTexts().mark}</Badge></>}
      </td>
      <td class='long'>{page ? <a href={page}>{what}</a> : what}{labelled('', audit.deeds[deedOf(action)])}</td>
    </tr>
  )
}

/** The page of an event's target, if it has one. */
function pageOf (target: string): string | undefined {
  const [kind, id] = target.split('/')
  if (id === undefined) return undefined
  if (kind === 'agents' || kind === 'tickets') return linkTo(`/${kind}/${id}`)
  return kind === 'conversations' ? linkTo(`/inbox/${id}`) : undefined
}
