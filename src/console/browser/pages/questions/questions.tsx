import { useEffect, useState } from 'preact/hooks'
import { Download, Play, Plus, Upload } from 'lucide-preact'
import type { Agent } from '../../../../../schema/agents.ts'
import type { CheckRun, CheckRunWithResults, Question, QuestionsRead } from '../../../../../schema/checks.ts'
import { api } from '../../api.ts'
import type { PageProps } from '../page.ts'
import { useResource, type Resource } from '../../resource.ts'
import { may } from '../../session.ts'
import { fill, labelled, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Badge, Card } from '../../ui/page.tsx'
import { Empty, Failure, Loaded, sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { AgentPage } from '../agent/frame.tsx'
import { QuestionForm } from './form.tsx'
import { Dots, Failed } from './results.tsx'

/** How often a run is polled, in milliseconds. */
const LOOK_MS = 700

/** Test questions of an agent, and their results. */
export default function Questions ({ params: { id = '' } }: PageProps) {
  return <AgentPage id={id} wide>{(agent) => <Kept agent={agent} />}</AgentPage>
}

function Kept ({ agent }: { agent: Agent }) {
  const { checks } = texts.value
  const kept = useResource<Question[]>(`/agents/${agent.id}/questions`)
  const [open, setOpen] = useState<{ question: Question | undefined }>()
  const mayManage = may('MANAGE_AGENTS')
  return (
    <>
      {mayManage && kept.data && kept.data.length > 0 && <Runs agent={agent} onDone={() => kept.reload()} />}
      <Card
        title={checks.title}
        actions={mayManage && <Actions agent={agent} from={kept} onAdd={() => setOpen({ question: undefined })} />}
      >
        <Loaded from={kept} lines={5}>
          {(questions) => questions.length === 0
            ? <Empty title={checks.empty} text={checks.emptyText} />
            : (
              <ul class='list'>
                {questions.map((one) => (
                  <Row key={one.id} question={one} from={kept} onChange={() => setOpen({ question: one })} />
                ))}
              </ul>
              )}
        </Loaded>
      </Card>
      {open && (
        <QuestionForm
          agent={agent} question={open.question} onDone={() => kept.reload()} onClose={() => setOpen(undefined)}
        />
      )}
    </>
  )
}

function Actions ({ agent, from, onAdd }: { agent: Agent, from: Resource<Question[]>, onAdd: () => void }) {
  const { checks } = texts.value
  const read = useAction(async (file: File) => {
    const { data } = await api.post<QuestionsRead>(`/agents/${agent.id}/questions/import`, { csv: await file.text() })
    await from.reload()
    toast(fill(texts.value.checks.read, { added: data.added, changed: data.changed }))
  })
  return (
    <>
      {read.error && <p class='error' role='alert'>{sentenceOf(read.error)}</p>}
      <a class='button' href={`/v1/agents/${agent.id}/questions.csv`} download={`questions-${agent.id}.csv`}>
        <Download size={16} aria-hidden='true' />{checks.write}
      </a>
      <label class='button'>
        <Upload size={16} aria-hidden='true' />{checks.readVerb}
        <input
          class='hidden'
          type='file'
          accept='.csv,text/csv'
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? []
            event.currentTarget.value = ''
            if (file) read.run(file)
          }}
        />
      </label>
      <Button kind='main' icon={Plus} onClick={onAdd}>{checks.add}</Button>
    </>
  )
}

function Row ({ question, from, onChange }: { question: Question, from: Resource<Question[]>, onChange: () => void }) {
  const { checks } = texts.value
  const { id, agent, text, blocking, enabled, recent } = question
  const remove = useAction(async () => {
    const { checks } = texts.value
    if (!await confirm({ title: checks.removeTitle, text, verb: checks.remove })) return
    await api.delete(`/agents/${agent}/questions/${id}`)
    await from.reload()
  })
  return (
    <li class='version-row'>
      <div class='grow'>
        <p dir='auto'><strong>{text}</strong></p>
        <p>
          <Dots recent={recent} />{' '}
          {blocking && <Badge>{checks.blockingBadge}</Badge>}{' '}
          {!enabled && <Badge>{checks.off}</Badge>}
        </p>
        {remove.error && <Failure error={remove.error} />}
      </div>
      {may('MANAGE_AGENTS') && (
        <div class='actions'>
          <Button aria-label={labelled(checks.edit, text)} onClick={onChange}>{checks.edit}</Button>
          <Button aria-label={labelled(checks.remove, text)} busy={remove.isBusy} onClick={() => { remove.run() }}>
            {checks.remove}
          </Button>
        </div>
      )}
    </li>
  )
}

/** Runs the questions, and shows the results. */
function Runs ({ agent, onDone }: { agent: Agent, onDone: () => Promise<void> }) {
  const { checks } = texts.value
  const [run, setRun] = useState<CheckRun | CheckRunWithResults>()
  const begin = useAction(async (of: 'draft' | 'live') => {
    setRun((await api.post<CheckRun>(`/agents/${agent.id}/runs`, { of })).data)
  })
  const isOpen = run?.state === 'queued' || run?.state === 'running'

  useEffect(() => {
    if (!run || !isOpen) return
    const timer = setTimeout(() => { look(run.id).catch(() => setRun({ ...run })) }, LOOK_MS)
    return () => clearTimeout(timer)
  }, [run])

  async function look (id: number) {
    const { data } = await api.get<CheckRunWithResults>(`/agents/${agent.id}/runs/${id}`)
    setRun(data)
    if (data.state === 'done') await onDone()
  }

  const wrong = run && 'results' in run ? run.results.filter(({ verdict }) => verdict !== 'pass') : []
  return (
    <Card
      title={checks.runs}
      actions={
        <>
          <Button icon={Play} busy={begin.isBusy || isOpen} onClick={() => { begin.run('live') }}>{checks.askLive}</Button>
          {agent.has_unpublished && (
            <Button icon={Play} busy={begin.isBusy || isOpen} onClick={() => { begin.run('draft') }}>{checks.askDraft}</Button>
          )}
        </>
      }
    >
      <p class='quiet'>{checks.about}</p>
      {begin.error && <Failure error={begin.error} />}
      <p role='status'>
        {run && fill(checks.counts, { passed: run.passed, total: run.total })}{isOpen && ` ${checks.running}`}
      </p>
      {wrong.length > 0 && <Failed results={wrong} />}
    </Card>
  )
}
