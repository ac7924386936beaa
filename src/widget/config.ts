import type { WidgetConfig } from '../../schema/widget.ts'
import type { WebFiles } from '../platform/http/web/files.ts'
import { noticeOf } from '../privacy/index.ts'
import type { Face } from './store.ts'

/** Suggestions that fit above the first message. */
const MOST_SUGGESTIONS = 6

/** What a widget is told. Pure but for the names of the files. */
export function configOf (key: string, face: Face, files: WebFiles): WidgetConfig {
  const { status, appearance, behavior, privacy_url: privacyUrl, is_white_label: isWhiteLabel } = face
  return {
    key,
    active: status === 'Active',
    appearance,
    suggestions: behavior.suggestions.filter((text) => text.trim() !== '').slice(0, MOST_SUGGESTIONS),
    handoff: behavior.expertHandoff,
    show_on_mobile: behavior.showOnMobile,
    auto_show_after: behavior.autoShowAfter,
    collect_visitor_data: behavior.collectVisitorData,
    consent: noticeOf(face)?.text ?? null,
    privacy_url: privacyUrl,
    white_label: isWhiteLabel,
    files: filesOf(files)
  }
}

function filesOf (files: WebFiles): WidgetConfig['files'] {
  const texts = files.entries('widget/text-')
  return { panel: `/${files.entry('widget/panel')}`, form: `/${files.entry('widget/form')}`, texts: Object.fromEntries(texts.map((name) => [name.slice('widget/text-'.length), `/${files.entry(name)}`])) }
}
