import type { ConfigDrift, ConfigState } from '../../../../../schema/config.ts'
import { useResource } from '../../resource.ts'
import { fill, labelled, shownTime, texts } from '../../texts/index.ts'
import { Card } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'

/** Configuration as files: when they were last applied, and by whom; what was changed here since; an export. */
export function Config () {
  const { config } = texts.value
  const state = useResource<ConfigState>('/config/state')
  return (
    <>
      <p class='quiet'>{config.about}</p>
      <Loaded from={state} lines={6}>
        {({ last, drift, kept }) => (
          <>
            <Card title={config.last}><Last last={last} /></Card>
            {last && <Card title={config.drift}><Drift drift={drift} /></Card>}
            {kept.length > 0 && <Card title={config.kept}><Kept kept={kept} /></Card>}
          </>
        )}
      </Loaded>
      <Card title={config.export}>
        <p class='quiet'>{config.exportText}</p>
        <p><a class='button' href='/v1/config?format=tar' download='agenthall-config.tar'>{config.exportAll}</a></p>
      </Card>
    </>
  )
}

const nameOf = (who: ConfigDrift['who'], operator: string, gone: string) => who === null ? operator : who.name ?? gone

function Last ({ last }: Pick<ConfigState, 'last'>) {
  const { config, audit } = texts.value
  if (!last) return <p>{config.none}</p>
  const { at, who, ref, changes } = last
  return (
    <p>
      {fill(config.by, { when: shownTime(at), who: nameOf(who, audit.operator, audit.gone) })}<br />
      <span class='quiet'>{fill(config.changes, { n: changes })}{ref !== '' && ` · ${fill(config.ref, { ref })}`}</span>
    </p>
  )
}

function Drift ({ drift }: Pick<ConfigState, 'drift'>) {
  const { config, audit } = texts.value
  if (drift.length === 0) return <p>{config.noDrift}</p>
  return (
    <div class='table' tabIndex={0} role='region' aria-label={labelled(config.drift, audit.what)}>
      <table>
        <thead><tr><th>{audit.when}</th><th>{audit.who}</th><th>{audit.what}</th></tr></thead>
        <tbody>
          {drift.map(({ place, file, is, who, at, fields }) => (
            <tr key={place}>
              <td class='when'>{at === null ? '–' : shownTime(at)}</td>
              <td>{at === null ? '–' : nameOf(who, audit.operator, audit.gone)}</td>
              <td class='long'>
                {fill(is === 'deleted' ? config.deleted : config.changed, { what: place })}
                <br /><span class='quiet'>{file}{fields.length > 0 && `: ${fields.join(', ')}`}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Kept ({ kept }: Pick<ConfigState, 'kept'>) {
  const { config } = texts.value
  const files = [...new Set(kept.map(({ file }) => file))].sort()
  const locked = new Set(kept.filter((one) => one.is_locked).map(({ file }) => file))
  return (
    <ul>{files.map((file) => <li key={file}><code>{file}</code>{locked.has(file) && ` · ${config.locked}`}</li>)}</ul>
  )
}
