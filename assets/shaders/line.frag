in vec4 tint; out vec4 shown;
void main() { shown = tint; }
