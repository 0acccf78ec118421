"""The command that runs Trestle on a task, and what its result says. Needs nothing but Python, so that it can be tested without Terminal-Bench."""

import json
import shlex

# The providers that need no description of their own, and where their keys are.
PROVIDERS = {
    "anthropic": ("anthropic", "ANTHROPIC_API_KEY", None),
    "openai": ("openai-responses", "OPENAI_API_KEY", None),
    "google": ("google", "GEMINI_API_KEY", None),
    "moonshot": ("moonshot", "MOONSHOT_API_KEY", None),
    "openrouter": ("openai-compatible", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1"),
}


def provider_of(model):
    """The provider of a model that is given as provider/model."""
    provider, slash, name = model.partition("/")
    if not slash or not name or provider not in PROVIDERS:
        raise ValueError(f"A model is given as provider/model, with one of {', '.join(PROVIDERS)}; not {model!r}.")
    return provider


def config_toml(model):
    """Trestle's settings for a model. The container is the sandbox: commands need no other."""
    provider = provider_of(model)
    kind, key, base_url = PROVIDERS[provider]
    lines = [
        f"default_model = {json.dumps(model)}",
        f"[providers.{provider}]",
        f"type = {json.dumps(kind)}",
        f"api_key_env = {json.dumps(key)}",
        *([f"base_url = {json.dumps(base_url)}"] if base_url else []),
        f"[models.{json.dumps(model)}]",
        f"provider = {json.dumps(provider)}",
        f"model = {json.dumps(model.partition('/')[2])}",
        "[sandbox]",
        'mode = "off"',
    ]
    return "\n".join(lines) + "\n"


def run_command(instruction, model, result_path, effort=None, max_steps=200):
    """The shell command for one task: writes the settings, then runs one turn in the folder of the shell and writes its result as JSON."""
    arguments = ["print", "--cwd", ".", "--permission-mode", "auto", "--output-format", "json", "--max-steps", str(max_steps)]
    if effort is not None:
        arguments += ["--effort", effort]
    # After "--", so that an instruction that begins with a hyphen is no option.
    arguments += ["--", instruction]
    settings = f'mkdir -p "$HOME/.trestle" && printf %s {shlex.quote(config_toml(model))} > "$HOME/.trestle/config.toml"'
    return f"{settings} && trestle {shlex.join(arguments)} < /dev/null > {shlex.quote(result_path)}"


def tokens_of(text):
    """Input and output tokens of a result; zeros when the run was cut off before it was written."""
    try:
        usage = json.loads(text)["usage"]
        return usage["input"], usage["output"]
    except (ValueError, KeyError, TypeError):
        return 0, 0
