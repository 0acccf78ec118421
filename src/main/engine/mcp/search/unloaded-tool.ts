import { z } from 'zod'
import { toolLine } from '../../context/prefix/told-tools'
import { CALL_TOOL } from '../../tool/call-tool'
import { toolSchema } from '../../tool/registry'
import { serverToolId, type ServerTool } from '../../tool/server-tool'
import { failed, type Tool } from '../../tool/tool'
import { loading } from './tool-search'

/**
 * Stands for a tool that is called before it was loaded. The model has not seen its schema, so what it wrote is a guess and is not run; the
 * answer says what the parameters are and loads the tool.
 */
export function unloadedTool(tool: ServerTool): Tool {
  const { name, annotations, server } = tool
  const text = `${name} was not loaded, so it was not run: its parameters were not known to you. It is loaded now; call it again in your next step, with ${CALL_TOOL}:\n${toolLine(toolSchema(tool))}`
  return {
    name,
    description: tool.description,
    input: z.unknown(),
    annotations,
    server,
    prepare: async () => ({ refused: failed(text, loading(serverToolId(tool), [tool])) }),
  }
}
