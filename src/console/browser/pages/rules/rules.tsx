import { Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { ArrowDown, ArrowUp, Plus, Search } from 'lucide-preact'
import type { Agent } from '../../../../../schema/agents.ts'
import { MOST_RULES, type GuardPreview, type GuardRule } from '../../../../../schema/guards.ts'
import { api } from '../../api.ts'
import type { PageProps } from '../page.ts'
import type { Resource } from '../../resource.ts'
import { may } from '../../session.ts'
import { fill, labelled, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Empty, sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { AgentPage } from '../agent/frame.tsx'
import { RuleForm } from './form.tsx'
import { preview, Previewed } from './preview.tsx'
import { ruleTexts } from '../../texts/rules/index.ts'
import { isSpeaking } from './typed.ts'

// What compares versions loads it from here: a part loaded on its own would be one more file for every page.
export { ruleLines } from './in-words.ts'

/** Rules: what an agent does not answer itself, what is masked, and which conversations get tags. */
export default function Rules ({ params: { id = '' } }: PageProps) {
  return <AgentPage id={id} wide>{(agent, from) => <Kept agent={agent} from={from} />}</AgentPage>
}

function Kept ({ agent, from }: { agent: Agent, from: Resource<Agent> }) {
  const { rules: { title }, ui } = texts.value
  const say = ruleTexts()
  const { guardRules: rules } = agent.behavior
  const [open, setOpen] = useState<{ at: number }>()
  const [found, setFound] = useState<GuardPreview>()
  const mayManage = may('MANAGE_AGENTS') || may('MANAGE_AGENT_SETTINGS')
  const keep = async (next: readonly GuardRule[]) => {
    const { data, etag } = await api.put<Agent>(
      `/agents/${agent.id}`, { behavior: { guardRules: next } }, from.etag ? { ifMatch: from.etag } : {}
    )
    from.set(data, etag)
    setFound(undefined)
    toast(ui.saved)
  }
  const change = useAction(keep)
  const look = useAction(async () => setFound(await preview(agent.id, rules)))
  return (
    <>
      <Card
        title={title}
        actions={mayManage && (
          <>
            {rules.length > 0 && (
              <Button icon={Search} busy={look.isBusy} onClick={() => { look.run() }}>{say.tryAll}</Button>
            )}
            <Button kind='main' icon={Plus} disabled={rules.length >= MOST_RULES} onClick={() => setOpen({ at: rules.length })}>
              {say.add}
            </Button>
          </>
        )}
      >
        <p class='quiet'>{say.intro}</p>
        {change.error && <p class='error' role='alert'>{sentenceOf(change.error)}</p>}
        {look.error && <p class='error' role='alert'>{sentenceOf(look.error)}</p>}
        {found && <p role='status'>{fill(say.looked, { asked: found.asked, answered: found.answered })}</p>}
        {rules.length === 0
          ? <Empty title={say.empty} text={say.emptyText} />
          : (
            <ol class='list'>
              {rules.map((rule, at) => (
                <Row
                  key={rule.name} rule={rule} found={found?.rules[at]} mayManage={mayManage} at={at} rules={rules}
                  change={(next) => { change.run(next) }} onOpen={() => setOpen({ at })}
                />
              ))}
            </ol>
            )}
      </Card>
      {open && (
        <RuleForm
          agent={agent.id} rule={rules[open.at]} at={open.at} onClose={() => setOpen(undefined)}
          onSave={async (rule) => await keep(rules.toSpliced(open.at, 1, rule))}
        />
      )}
    </>
  )
}

interface RowProps {
  rule: GuardRule
  at: number
  rules: readonly GuardRule[]
  found: GuardPreview['rules'][number] | undefined
  mayManage: boolean
  change: (next: readonly GuardRule[]) => void
  onOpen: () => void
}

function Row ({ rule, at, rules, found, mayManage, change, onOpen }: RowProps) {
  const say = ruleTexts()
  const { name, when, match: { by, of }, do: does, tags = [], enabled, acts_on_most: isBroad } = rule
  return (
    <li class='version-row'>
      <div class='grow'>
        <p>
          <strong dir='auto'>{name}</strong>{' '}
          <Badge tone={isSpeaking(does) ? 'accent' : 'plain'}>{say.doing[does]}</Badge>{' '}
          {tags.map((tag) => <Fragment key={tag}><Badge><span dir='auto'>{tag}</span></Badge>{' '}</Fragment>)}
          {!enabled && <Badge>{say.off}</Badge>}{' '}
          {isBroad && <Badge tone='bad'>{say.onMost}</Badge>}
        </p>
        <p class='quiet'><span>{say.whens[when]}</span> · <span>{say.bys[by]}</span>: <span dir='auto'>{of.slice(0, 8).join(', ')}{of.length > 8 && ' …'}</span></p>
        {found && <Previewed of={found} />}
      </div>
      {mayManage && <Buttons name={name} at={at} rules={rules} change={change} onOpen={onOpen} />}
    </li>
  )
}

function Buttons ({ name, at, rules, change, onOpen }: { name: string } & Pick<RowProps, 'at' | 'rules' | 'change' | 'onOpen'>) {
  const say = ruleTexts()
  const moved = (to: number) => {
    const next = rules.toSpliced(at, 1)
    next.splice(to, 0, rules[at]!)
    change(next)
  }
  const remove = useAction(async () => {
    if (await confirm({ title: say.removeTitle, text: name, verb: say.remove })) change(rules.toSpliced(at, 1))
  })
  return (
    <div class='actions'>
      {at > 0 && <IconButton icon={ArrowUp} label={fill(say.up, { rule: name })} onClick={() => moved(at - 1)} />}
      {at < rules.length - 1 && (
        <IconButton icon={ArrowDown} label={fill(say.down, { rule: name })} onClick={() => moved(at + 1)} />
      )}
      <Button aria-label={labelled(say.edit, name)} onClick={onOpen}>{say.edit}</Button>
      <Button aria-label={labelled(say.remove, name)} busy={remove.isBusy} onClick={() => { remove.run() }}>
        {say.remove}
      </Button>
    </div>
  )
}
