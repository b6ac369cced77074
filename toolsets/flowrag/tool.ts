import { toolsOf } from '@millrace/kernel';
import type { FlowragServices } from './services.ts';

export const tool = toolsOf<FlowragServices>();
