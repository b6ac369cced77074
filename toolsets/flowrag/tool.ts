import { speakingToolsOf } from '@millrace/kernel';
import type { FlowragServices } from './services.ts';

export const tool = speakingToolsOf<FlowragServices>();
