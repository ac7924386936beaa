import type { AgentRecord } from '../../schema/agents.ts'
import type { WidgetConfig } from '../../schema/widget.ts'
import { inLanguage } from '../agents/translated.ts'
import { noticeOf } from '../privacy/notice.ts'
import { pictureOf } from './avatar.ts'
import { themesOf } from './theme.ts'

/** The parts of an agent that its widget shows or depends on. */
export type Face = Pick<
  AgentRecord,
  'status' | 'appearance' | 'behavior' | 'privacy_url' | 'gdpr_settings' | 'translations' | 'is_white_label'
>

/** Suggestions that fit above the first message. */
const MOST_SUGGESTIONS = 6

/**
 * The settings of a widget in a language. Pure: the server sends them, and the console previews unsaved settings with
 * it.
 */
export function configOf (
  key: string, agent: Face, parts: Pick<WidgetConfig, 'actions' | 'desk' | 'files'>, language?: string | null
): WidgetConfig {
  const face = inLanguage(agent, language)
  const { status, appearance, behavior, privacy_url: privacyUrl, is_white_label: isWhiteLabel } = face
  return {
    key,
    active: status === 'Active',
    appearance: { ...appearance, avatar: { ...appearance.avatar, src: pictureOf(appearance) } },
    theme: themesOf(appearance.primaryColor, appearance.secondaryColor),
    suggestions: behavior.suggestions.filter((text) => text.trim() !== '').slice(0, MOST_SUGGESTIONS),
    handoff: behavior.expertHandoff,
    show_on_mobile: behavior.showOnMobile,
    auto_show_after: behavior.autoShowAfter,
    collect_visitor_data: behavior.collectVisitorData,
    consent: noticeOf(face, language)?.text ?? null,
    privacy_url: privacyUrl,
    white_label: isWhiteLabel,
    ...parts
  }
}
