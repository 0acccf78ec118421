import type { ModelInfo } from '../model/provider'

const GENERAL = ['Edit', 'Patch']
const GPT = ['apply_patch']

/** Tools of which a model is offered one set. */
export const EDIT_TOOLS: ReadonlySet<string> = new Set([...GENERAL, ...GPT])

/** Models that were trained on apply_patch, where nothing is known of them but their name. */
const GPT_NAME = /^(?:gpt-|o\d|codex)/

/** The names of the tools that a model edits files with. Where Edit is disabled, so is what takes its place; where apply_patch is, Edit and Patch are offered again. */
export function editToolsOf({ model, traits }: Pick<ModelInfo, 'model' | 'traits'>, disabled: readonly string[]): readonly string[] {
  // Gateways put the vendor before the name: `openai/gpt-5.4`.
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const dialect = traits?.toolDialect ?? (GPT_NAME.test(name) ? 'gpt' : 'general')
  return dialect === 'gpt' && !disabled.includes('apply_patch') && !disabled.includes('Edit') ? GPT : GENERAL
}
