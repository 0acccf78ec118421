import { z } from 'zod'
import { serverToolId, type ServerTool } from '../../tool/server-tool'
import { failed, type Tool } from '../../tool/tool'
import { loading } from './tool-search'

/** A longer schema is not repeated in the answer: it comes with the next request anyway. */
const MOST_SHOWN = 4000

/**
 * Stands for a tool that is called before it was loaded. The model has not seen its schema, so what it wrote is a guess and is not run; the
 * answer says what the parameters are and loads the tool.
 */
export function unloadedTool(tool: ServerTool): Tool {
  const { name, annotations, server, schema } = tool
  const written = JSON.stringify(schema)
  const parameters = written.length > MOST_SHOWN ? '' : ` Its input: ${written}`
  const text = `${name} was not loaded, so it was not run: its parameters were not known to you. It is loaded now; call it again in your next step.${parameters}`
  return {
    name,
    description: tool.description,
    input: z.unknown(),
    annotations,
    server,
    prepare: async () => ({ refused: failed(text, loading(serverToolId(tool), [tool])) }),
  }
}
