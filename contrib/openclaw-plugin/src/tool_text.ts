/** The form in which tools are described to a model. Types only. */

export interface ToolText {
  name: string;
  label: string;
  description: string;
  parameters: Record<string, unknown>;
}
