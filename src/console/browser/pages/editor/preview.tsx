import { useEffect, useRef, useState } from 'preact/hooks'
import type { WidgetConfig, WidgetKey } from '../../../../../schema/widget.ts'
import { configOf, type Face } from '../../../../widget/config.ts'
import { api } from '../../api.ts'
import { useResource } from '../../resource.ts'
import { language, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import type { Settings } from './merge.ts'
import { showWidget, type Shown } from './stage.ts'

/**
 * A preview of the widget with the typed settings. It needs a key, as on any page. `text`: the caption if nothing is
 * being edited.
 */
export function Preview ({ id, settings, text }: { id: number, settings: Settings, text?: string }) {
  const { editor } = texts.value
  const keys = useResource<WidgetKey[]>(`/agents/${id}/widget_keys`)
  const make = useAction(async () => {
    await api.post(`/agents/${id}/widget_keys`)
    await keys.reload()
  })
  const key = keys.data?.[0]?.id
  return (
    <aside class='preview'>
      <Card
        title={editor.preview}
        actions={
          key && (
            <a class='button quiet' href={`/chat/${key}`} target='_blank' rel='noopener noreferrer'>
              {editor.previewPage}
            </a>
          )
        }
      >
        {key && (
          <>
            <p class='hint'>{text ?? editor.previewText}</p>
            <Stage widgetKey={key} settings={settings} />
          </>
        )}
        {keys.data && !key && (
          <>
            <p class='hint'>{editor.previewKey}</p>
            {make.error && <p class='error' role='alert'>{sentenceOf(make.error)}</p>}
            <Button busy={make.isBusy} onClick={() => { make.run() }}>{editor.previewKeyVerb}</Button>
          </>
        )}
      </Card>
    </aside>
  )
}

/** The typed settings as the widget receives them, without what only matters on a website. */
function previewed (key: string, settings: Settings, parts: Pick<WidgetConfig, 'actions' | 'desk' | 'files'>): WidgetConfig {
  // The business's own texts as typed, and built-in sentences in the language of the console's user.
  const face = { ...settings as unknown as Face, translations: {} }
  const config = configOf(key, face, parts, language.value)
  const { avatar } = config.appearance
  // The console loads pictures from nowhere else.
  const src = /^(data:|\/(?!\/))/.test(avatar.src) ? avatar.src : ''
  return {
    ...config,
    auto_show_after: 0,
    show_on_mobile: true,
    appearance: { ...config.appearance, avatar: { ...avatar, src } }
  }
}

function Stage ({ widgetKey, settings }: { widgetKey: string, settings: Settings }) {
  const into = useRef<HTMLDivElement>(null)
  const shown = useRef<Shown | undefined>(undefined)
  const parts = useRef<Pick<WidgetConfig, 'actions' | 'desk' | 'files'> | undefined>(undefined)
  const latest = useRef(settings)
  const [isFailed, setFailed] = useState(false)
  latest.current = settings

  async function begin (isOver: () => boolean) {
    try {
      const { data } = await api.get<WidgetConfig>(`/widget/${widgetKey}/config`)
      if (isOver()) return
      parts.current = { actions: data.actions, desk: data.desk, files: data.files }
      const config = previewed(widgetKey, latest.current, parts.current)
      shown.current = await showWidget(into.current!, config, language.value)
      if (isOver()) shown.current.destroy()
    } catch {
      setFailed(true)
    }
  }

  useEffect(() => {
    let isOver = false
    begin(() => isOver)
    return () => {
      isOver = true
      shown.current?.destroy()
    }
  }, [widgetKey])
  useEffect(() => {
    if (parts.current) shown.current?.update(previewed(widgetKey, settings, parts.current))
  }, [settings])
  return isFailed ? <p class='error'>{texts.value.editor.previewFailed}</p> : <div class='stage' ref={into} />
}
