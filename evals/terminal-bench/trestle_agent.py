"""Trestle as an agent of Terminal-Bench; see README.md in this folder."""

import os
from pathlib import Path

from terminal_bench.agents.base_agent import AgentResult
from terminal_bench.agents.installed_agents.abstract_installed_agent import AbstractInstalledAgent
from terminal_bench.terminal.models import TerminalCommand

from trestle_command import PROVIDERS, provider_of, run_command, tokens_of

RESULT = "trestle.json"


class TrestleAgent(AbstractInstalledAgent):
    """Installs Trestle in the container of a task and runs `trestle print` there."""

    @staticmethod
    def name():
        return "trestle"

    def __init__(self, model_name, effort=None, repository=None, ref="main", *args, **kwargs):
        super().__init__(*args, **kwargs)
        provider_of(model_name)
        self._model = model_name
        self._effort = effort
        self._repository = repository or os.environ.get("TRESTLE_REPOSITORY")
        self._ref = ref
        if not self._repository:
            raise ValueError("Where is Trestle? --agent-kwarg repository=URL, or TRESTLE_REPOSITORY.")

    @property
    def _env(self):
        key = PROVIDERS[provider_of(self._model)][1]
        if key not in os.environ:
            raise ValueError(f"There is no key: set the environment variable {key}.")
        return {key: os.environ[key], "TRESTLE_REPOSITORY": self._repository, "TRESTLE_REF": self._ref}

    @property
    def _install_agent_script_path(self):
        return Path(__file__).parent / "setup.sh"

    def _run_agent_commands(self, instruction):
        result = f"{self.CONTAINER_AGENT_LOGS_PATH}/{RESULT}"
        command = run_command(instruction, self._model, result, self._effort)
        return [TerminalCommand(command=command, max_timeout_sec=float("inf"), block=True, append_enter=True)]

    def perform_task(self, instruction, session, logging_dir=None):
        done = super().perform_task(instruction, session, logging_dir)
        result = None if logging_dir is None else Path(logging_dir) / RESULT
        if result is None or not result.exists():
            return done
        given, written = tokens_of(result.read_text())
        return AgentResult(total_input_tokens=given, total_output_tokens=written, failure_mode=done.failure_mode)
